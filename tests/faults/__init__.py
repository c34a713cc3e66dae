"""Scenes of what goes wrong around a daemon: each does it for real and says what was counted.

A scene takes an empty folder and gives figures; it raises AssertionError where the daemon does not do as promised.
``tests/acceptance/test_faults_*`` play them one by one, ``python -m tests.bench faults`` all of them.
"""
