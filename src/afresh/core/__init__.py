"""Numbers in, decisions out: no clock, no I/O, no settings, no logging."""
