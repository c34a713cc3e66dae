"""Pages revisited in turn: places in the order of a site, paces and prices of sites, signals of changes."""
