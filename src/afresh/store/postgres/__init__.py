"""A database in PostgreSQL, for several machines at once. Needs the driver: ``pip install 'afresh[postgres]'``."""
