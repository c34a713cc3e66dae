"""A crawl of many machines in virtual time, and what a few formulas predict of it."""
