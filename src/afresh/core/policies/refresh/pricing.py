"""A price that holds a budget: it moves by as much as requests have been found to answer to it."""


class PriceController:
    """Moves the price of a request so that what was spent and what may be spent meet.

    Requests follow the price as price^elasticity (about −½). What is owed or saved is spread over the time ahead; the
    proportional part acts at once, and a part of it stays, for a price that is wrong throughout.
    """

    __slots__ = ("_base", "_exponent", "_kept", "price")

    def __init__(self, price: float, elasticity: float = -0.5, *, kept: float = 0.05) -> None:
        self.price = price
        self._base = price
        self._exponent = -1.0 / min(-0.1, max(-1.0, elasticity))
        self._kept = kept

    def correct(self, *, saved: float, planned: float) -> float:
        """A new price. ``saved``: requests that might have been made and were not (negative: owed); ``planned``: those
        that are due at the usual rate in the time over which the difference is to be spread.
        """
        share = min(2.0, max(0.5, 1.0 + saved / max(1e-9, planned)))
        self._base *= share ** (-self._exponent * self._kept)
        self.price = self._base * share ** (-self._exponent)
        return self.price
