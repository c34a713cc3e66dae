"""What everybody needs: models, records, protocols, clock, durations, errors, settings."""
