"""Questions asked while others are answered are answered together, each with its own answer."""

import asyncio
from collections.abc import Sequence

import pytest

from afresh.frontier.batches import Combiner


def test_what_waits_is_answered_together_and_in_order() -> None:
    batches: list[list[int]] = []

    async def answer(questions: Sequence[int]) -> list[int | Exception]:
        batches.append(list(questions))
        await asyncio.sleep(0)
        return [question * 10 for question in questions]

    async def ask() -> list[int]:
        combiner = Combiner(answer, most=3)
        return await asyncio.gather(*(combiner.ask(number) for number in range(8)))

    assert asyncio.run(ask()) == [number * 10 for number in range(8)]
    assert batches == [[0, 1, 2], [3, 4, 5], [6, 7]]


def test_one_bad_question_spoils_no_other() -> None:
    async def answer(questions: Sequence[int]) -> list[int | Exception]:
        if 3 in questions:
            raise ValueError("three")
        return [KeyError("five") if question == 5 else question for question in questions]

    async def ask() -> list[int | BaseException]:
        combiner = Combiner(answer, most=10)
        return await asyncio.gather(*(combiner.ask(number) for number in range(6)), return_exceptions=True)

    found = asyncio.run(ask())
    assert found[:3] == [0, 1, 2]
    assert isinstance(found[3], ValueError)
    assert found[4] == 4
    assert isinstance(found[5], KeyError)


def test_who_has_gone_is_not_asked_for() -> None:
    seen: list[int] = []

    async def answer(questions: Sequence[int]) -> list[int | Exception]:
        seen.extend(questions)
        await asyncio.sleep(0)
        return list(questions)

    async def ask() -> None:
        combiner = Combiner(answer, most=1)
        first = asyncio.create_task(combiner.ask(1))
        second = asyncio.create_task(combiner.ask(2))
        await asyncio.sleep(0)
        second.cancel()
        assert await first == 1
        with pytest.raises(asyncio.CancelledError):
            await second
        assert await combiner.ask(3) == 3

    asyncio.run(ask())
    assert seen == [1, 3]
