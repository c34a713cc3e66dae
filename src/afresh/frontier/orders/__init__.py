"""Orders of sites and pages that need more than SQL."""
