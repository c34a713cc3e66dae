"""What became of a page?  A learnt verdict over measure values, signs of special pages, moves, explanations."""
