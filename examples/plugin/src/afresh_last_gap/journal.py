"""Notices as lines of a file: ``journal:///home/me/news.txt``."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from afresh.base.errors import UsageError
from afresh.base.records.notices import Delivery


class JournalSender:
    """Appends each event to the file its target names; ``base.records.notices.Sender`` says what is asked of it."""

    def check(self, target: str) -> None:
        folder = _file(target).parent
        if not folder.is_dir():
            raise UsageError(f"{folder} is no folder; write the target like journal:///home/me/news.txt")

    async def send(self, delivery: Delivery, *, now: float) -> str:
        try:
            with _file(delivery.notice.target).open("a", encoding="utf-8") as journal:
                journal.writelines(f"{event.title} {event.link}\n" for event in delivery.events)
        except OSError as error:
            return str(error)
        return ""

    async def close(self) -> None:
        return None


def _file(target: str) -> Path:
    return Path(unquote(urlsplit(target).path))
