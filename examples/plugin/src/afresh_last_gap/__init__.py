"""What afresh does not have by itself: a rule, a target of notices and a file format."""
