"""Policies that only comparisons use: those of other crawlers and of the literature."""
