"""What other crawlers speak: the messages and calls of URLFrontier, and its dump of a frontier."""
