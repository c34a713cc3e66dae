"""The experiments of [H12]: refresh strategies under a budget, online change estimation, feed analysis."""
