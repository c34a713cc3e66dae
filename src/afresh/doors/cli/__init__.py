"""The command line: a command a verb, ``--json`` wherever something is printed. It translates and does not decide."""
