"""How often does a page change? Estimators from visits, from Last-Modified, from announcements, and beliefs."""
