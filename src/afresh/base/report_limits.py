"""How much one report to a frontier carries; more would hold up everybody else."""

MOST_LINKS = 50_000  # of one page
MOST_LINK_TEXT = 3_000_000  # characters of these links
