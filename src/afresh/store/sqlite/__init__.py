"""A database in one SQLite file."""
