"""Requests that arrive while the store is busy are answered together: one transaction for all that waited."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Q = TypeVar("Q")
A = TypeVar("A")


class Combiner(Generic[Q, A]):
    """Collects questions and answers them in batches, in the order they came.

    ``answer`` gives one answer or exception a question. If it fails as a whole, each question of the batch is asked
    alone, so that one nobody can answer spoils no other.
    """

    def __init__(self, answer: Callable[[Sequence[Q]], Awaitable[Sequence[A | Exception]]], *, most: int) -> None:
        self._answer, self._most = answer, most
        self._waiting: list[tuple[Q, asyncio.Future[A]]] = []
        self._task: asyncio.Task[None] | None = None

    async def ask(self, question: Q) -> A:
        """The answer to one question."""
        future: asyncio.Future[A] = asyncio.get_running_loop().create_future()
        self._waiting.append((question, future))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work())
        return await future

    async def _work(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            await self._settle([item for item in batch if not item[1].done()])

    async def _settle(self, batch: list[tuple[Q, "asyncio.Future[A]"]]) -> None:
        try:
            answers = await self._answer([question for question, _ in batch])
        except Exception as error:  # whatever it was, those who asked hear of it
            if len(batch) == 1:
                _set(batch[0][1], error)
                return
            for item in batch:
                await self._settle([item])
            return
        for (_, future), answer in zip(batch, answers, strict=True):
            _set(future, answer)


def _set(future: "asyncio.Future[A]", answer: A | Exception) -> None:
    if future.done():  # the client has gone
        return
    if isinstance(answer, Exception):
        future.set_exception(answer)
    else:
        future.set_result(answer)
