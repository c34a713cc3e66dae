"""How alike are two versions of a page?  Numbers and plain text in, values between 0 and 1 out."""
