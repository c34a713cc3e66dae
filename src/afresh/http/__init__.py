"""The way to the web: a client with limits and an address guard, robots, pacing, and a sense for its own network."""
