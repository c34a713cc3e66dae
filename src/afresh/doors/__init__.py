"""The doors: REST, pages, command line. They translate and decide nothing."""
