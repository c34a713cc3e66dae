"""The revisit engine on trial: stand-in repositories, simulation in closed form, certified bounds, measured claims."""
