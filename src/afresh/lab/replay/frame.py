"""What stays the same from poll to poll of a feed, written once: addresses and lengths, for ``narrow``."""

from afresh.base.signatures import types

# places in a frame: addresses and lengths
PARAMS = 0
PARAMS_LENGTH = 1
STATE = 2
STATE_LENGTH = 3
HINTS = 4
HINTS_LENGTH = 5
FRAME = 6

#: frame, now, window, its length, new, u -> absolute time of the next poll; frame and window are addresses
NARROW = types.float64(types.int64, types.float64, types.int64, types.int64, types.int64, types.float64)
