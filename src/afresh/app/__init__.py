"""The use cases, in order and deciding nothing themselves: add, plan, lease, fetch, judge, learn, record."""
