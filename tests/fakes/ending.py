"""The end of a process that a test has started: asked for by SIGTERM, and waited for within bounds.

Not by SIGINT: where the suite runs in the background of a shell its children inherit that it is ignored.
"""

import asyncio
import signal
import subprocess
import threading

PATIENCE = 120.0  # seconds; what has not ended by then is killed, and the test fails


async def ended(
    process: asyncio.subprocess.Process, number: signal.Signals | None = signal.SIGTERM, *, within: float = PATIENCE
) -> tuple[str, str]:
    """What it has said on both lines when it has ended; None: it is about to end by itself."""
    if number is not None and process.returncode is None:
        process.send_signal(number)
    try:
        out, err = await asyncio.wait_for(process.communicate(), within)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise AssertionError(f"process {process.pid} did not end within {within:.0f} s") from None
    return (out or b"").decode(), (err or b"").decode()


def end_program(program: "subprocess.Popen[str]") -> str:
    """What is left on its standard output after it was asked to end, what was read ahead included."""
    assert program.stdout is not None
    killing = threading.Timer(PATIENCE, program.kill)
    killing.start()
    try:
        program.send_signal(signal.SIGTERM)
        said = program.stdout.read()
        program.wait(PATIENCE)
        return said
    finally:
        killing.cancel()
