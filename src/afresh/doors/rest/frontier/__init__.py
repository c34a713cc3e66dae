"""The frontier's REST door: lean, because a list or a report carries hundreds of URLs and fifty fetchers wait."""
