"""What every implementation of a protocol obeys, each law a short function whose name is the law."""
