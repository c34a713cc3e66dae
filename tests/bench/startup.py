"""How long until a person sees something?"""

import subprocess
import sys
import time


def measure() -> dict[str, float]:
    """Best of five, for the machine may be busy."""
    return {
        "help_seconds": min(_timed("--help") for _ in range(5)),
        "list_seconds": min(_timed("lab", "--help") for _ in range(5)),
    }


def _timed(*arguments: str) -> float:
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-m", "afresh", *arguments], check=True, capture_output=True)
    return time.perf_counter() - begin


if __name__ == "__main__":
    print(measure())
