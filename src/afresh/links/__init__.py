"""Links: what they measure, how they are judged, checked and learnt from."""
