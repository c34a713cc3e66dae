"""What is wrong with a recorded history."""

from afresh.base.errors import AfreshError


class TraceError(AfreshError, ValueError):
    """A recorded history that cannot be used; names file and line."""

    def __init__(self, message: str, *, path: str = "", line: int = 0) -> None:
        where = f"{path}:{line}: " if line else f"{path}: " if path else ""
        super().__init__(where + message)
        self.path = path
        self.line = line
