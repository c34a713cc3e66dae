"""Names to approved addresses."""

import asyncio
import resource
import socket
from collections.abc import Sequence

import pytest

from afresh.base.errors import Disallowed
from afresh.http.guard import Guard
from afresh.http.resolver import GuardedResolver, ThreadedLookup, default_lookup, is_local_name
from tests.fakes.clocks import StillClock


class Names:
    """A name server whose answers are set by the test; an exception is raised."""

    def __init__(self, *answers: Sequence[str] | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []
        self.closed = False

    async def addresses(self, name: str) -> Sequence[str]:
        self.asked.append(name)
        await asyncio.sleep(0)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def close(self) -> None:
        self.closed = True


def make(names: Names, clock: StillClock | None = None, **guard: tuple[str, ...]) -> GuardedResolver:
    return GuardedResolver(Guard(**guard), lookup=names, now=(clock or StillClock()).now, ttl=60.0)


class WithoutDescriptors(ThreadedLookup):
    """The system's resolver while this process may open nothing more; counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    async def addresses(self, name: str) -> Sequence[str]:
        self.asked += 1
        return await super().addresses(name)


async def hosts(resolver: GuardedResolver, name: str) -> list[str]:
    return [where[0] for _, _, _, _, where in await resolver.resolve(name, 80)]


def test_only_approved_addresses_are_handed_out() -> None:
    resolver = make(Names(["8.8.8.8", "10.0.0.1", "2606:4700::1", "::1"]))
    found = asyncio.run(resolver.resolve("a.example", 443))
    stream = (socket.SOCK_STREAM, socket.IPPROTO_TCP, "")
    assert found == [
        (socket.AF_INET, *stream, ("8.8.8.8", 443)),
        (socket.AF_INET6, *stream, ("2606:4700::1", 443)),
    ]


def test_a_name_with_private_addresses_only_is_disallowed() -> None:
    with pytest.raises(Disallowed, match=r"10\.0\.0\.1"):
        asyncio.run(hosts(make(Names(["10.0.0.1"])), "intranet.example"))


@pytest.mark.parametrize(("host", "address"), [("8.8.8.8", "8.8.8.8"), ("[2606:4700::1]", "2606:4700::1")])
def test_an_address_is_nobodys_name_and_judged_all_the_same(host: str, address: str) -> None:
    names = Names()
    assert asyncio.run(hosts(make(names), host)) == [address]
    assert names.asked == []
    with pytest.raises(Disallowed):
        asyncio.run(hosts(make(names), "10.0.0.1"))


def test_answers_are_kept_for_their_time_and_judged_each_time() -> None:
    async def scene() -> None:
        clock = StillClock()
        names = Names(["8.8.8.8"], ["127.0.0.1"])
        resolver = make(names, clock)
        assert await hosts(resolver, "A.example.") == await hosts(resolver, "a.EXAMPLE") == ["8.8.8.8"]
        assert names.asked == ["a.example"]
        clock.advance(61.0)
        with pytest.raises(Disallowed):
            await hosts(resolver, "a.example")

    asyncio.run(scene())


def test_failures_are_believed_for_a_moment_only() -> None:
    async def scene() -> None:
        clock = StillClock()
        names = Names(OSError("NXDOMAIN"), ["8.8.8.8"])
        resolver = make(names, clock)
        for _ in range(2):
            with pytest.raises(OSError, match="NXDOMAIN"):
                await hosts(resolver, "a.example")
        clock.advance(6.0)
        assert await hosts(resolver, "a.example") == ["8.8.8.8"]

    asyncio.run(scene())


def test_simultaneous_questions_are_asked_once_and_survive_a_cancelled_asker() -> None:
    async def scene() -> None:
        names = Names(["8.8.8.8"])
        resolver = make(names)
        impatient, *patient = [asyncio.create_task(hosts(resolver, "a.example")) for _ in range(5)]
        await asyncio.sleep(0)
        impatient.cancel()
        assert await asyncio.gather(*patient) == [["8.8.8.8"]] * 4
        assert names.asked == ["a.example"]
        assert impatient.cancelled()

    asyncio.run(scene())


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST", "localhost.", "news.localhost", "a.b.localhost"])
def test_local_names_are_answered_here_and_guarded_like_others(name: str) -> None:
    names = Names()
    assert asyncio.run(hosts(make(names, allowed=("127.0.0.0/8", "::1/128")), name)) == ["127.0.0.1", "::1"]
    with pytest.raises(Disallowed):
        asyncio.run(hosts(make(names), name))
    assert names.asked == []


def test_names_that_only_look_local_are_not() -> None:
    assert not is_local_name("localhost.example")
    assert not is_local_name("notlocalhost")


def test_closing_stops_lookups_under_way() -> None:
    async def scene() -> None:
        names = Names(["8.8.8.8"])
        resolver = make(names)
        asker = asyncio.create_task(hosts(resolver, "a.example"))
        await asyncio.sleep(0)
        await resolver.close()
        with pytest.raises(OSError, match="closed"):
            await asker
        assert names.closed

    asyncio.run(scene())


def test_the_systems_resolver_reads_addresses() -> None:
    assert asyncio.run(ThreadedLookup().addresses("127.0.0.1")) == ["127.0.0.1"]


def test_the_default_resolver_starts_and_reads_addresses() -> None:
    async def scene() -> Sequence[str]:
        lookup = default_lookup()
        try:
            return await lookup.addresses("127.0.0.1")
        finally:
            await lookup.close()

    assert asyncio.run(scene()) == ["127.0.0.1"]


def test_a_want_of_descriptors_says_nothing_about_a_name() -> None:
    """The system's resolver calls it a failure of name resolution: no feed may be blamed, nothing is remembered."""
    lookup = WithoutDescriptors()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)

    async def ask() -> None:
        resolver = GuardedResolver(Guard(), lookup=lookup, now=StillClock().now, ttl=60.0)
        await asyncio.get_running_loop().run_in_executor(None, lambda: None)  # its thread is there
        for _ in range(2):
            resource.setrlimit(resource.RLIMIT_NOFILE, (1, hard))
            try:
                with pytest.raises(OSError, match="Too many open files"):
                    await resolver.resolve("feeds.example.invalid", 80)
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    asyncio.run(ask())
    assert lookup.asked == 2
