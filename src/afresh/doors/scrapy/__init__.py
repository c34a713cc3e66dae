"""The door for Scrapy: the frontier as the scheduler of a Scrapy project, and politeness as a downloader middleware."""
