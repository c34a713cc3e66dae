"""The laws that every implementation of a protocol obeys, importable by anyone who adds one."""
