"""Bytes in, models out: plain functions without I/O, clock or settings.

What the web sends is hostile: any byte string gives a value or a ``ParseError``, in bounded time and memory. Import
the module that is needed; this package imports nothing, so that reading a URL does not load a feed parser.
"""
