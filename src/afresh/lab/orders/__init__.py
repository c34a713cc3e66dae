"""Which site, which URL first? One idea a module; nothing is loaded before it is asked for."""
