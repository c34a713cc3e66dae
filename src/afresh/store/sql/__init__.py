"""The store in SQL that both databases understand: every statement once, and the code around it."""
