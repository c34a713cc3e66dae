"""The soak: a real daemon on the living web, killed and ill-treated for as long as one likes, and accounts of it."""
