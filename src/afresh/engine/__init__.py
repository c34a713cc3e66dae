"""The living loop: lease, visit, conclude, record; the budget and its price; the daemon put together."""
