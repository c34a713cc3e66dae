"""The tests T1 to T5 of the crawl scheduler [G20], published beside expected beside measured."""
