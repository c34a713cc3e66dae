"""``afresh.client``: the names of ``afresh.open`` over REST and gRPC."""
