"""Link verdicts in the lab: pairs from version histories, generated replacements, training, evaluation."""
