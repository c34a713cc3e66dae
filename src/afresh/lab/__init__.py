"""The same loop in virtual time: synthetic webs, replays, experiments, reports."""
