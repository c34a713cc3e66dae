"""Watched links: the words for what became of one, how a check changes what is known, what the store keeps."""
