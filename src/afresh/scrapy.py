"""afresh as the frontier of a Scrapy project: two lines of its settings.py.

SCHEDULER = "afresh.scrapy.Scheduler"
DOWNLOADER_MIDDLEWARES = {"afresh.scrapy.Politeness": 950}
"""

from afresh.base.extras import need

need("scrapy", "afresh.scrapy")

from afresh.doors.scrapy.politeness import Politeness  # noqa: E402 (says first what is missing)
from afresh.doors.scrapy.scheduler import Scheduler  # noqa: E402

__all__ = ["Politeness", "Scheduler"]
