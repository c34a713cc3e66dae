"""Measures the gRPC door: a real server process, clients that send and fetch URLs."""
