"""Small breaks of the code, each of which a named quick test must catch."""
