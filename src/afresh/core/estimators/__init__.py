"""How often does it change? Publication models of feeds, change rates of pages."""
