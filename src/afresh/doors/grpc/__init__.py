"""The gRPC door: the interface of URLFrontier, through the frontier's own use cases."""
