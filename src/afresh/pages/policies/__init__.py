"""Online policies: when to visit which page, learning from one's own visits alone.

``catalogue`` has them all by name. Importing this package compiles nothing; the daemon imports the one module it uses.
"""
