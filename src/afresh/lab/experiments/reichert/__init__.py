"""The evaluation of the feed thesis [R12], table by table: published numbers beside measured ones, claims tested."""
