"""The door for programs and notebooks: ``afresh.open``."""
