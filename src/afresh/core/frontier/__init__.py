"""The frontier: sites and their pages, handed out as lists to fetchers that come and ask."""
