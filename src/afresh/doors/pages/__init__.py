"""The pages: rendered on the server, each with a ``.json`` twin, usable without script."""
