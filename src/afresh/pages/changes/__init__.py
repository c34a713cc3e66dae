"""What changed on a page: two versions compared, what always changes left out, and said in words people read. Pure."""
