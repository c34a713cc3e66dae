"""What afresh does not have by itself: a rule, a policy, an order, a target of notices and a file format."""
