"""Refresh strategies in virtual time: synthetic sources, recorded histories, topologies."""
