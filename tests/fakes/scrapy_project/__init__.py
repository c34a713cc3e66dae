"""A Scrapy project for tests: a spider that follows every link, on a web that this machine serves."""
