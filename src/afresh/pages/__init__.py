"""Pages: beliefs about how they change, policies, turns within a site, sitemaps and other announcements."""
