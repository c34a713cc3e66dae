"""What afresh does not have by itself: a rule, an order, a target of notices and a file format."""
