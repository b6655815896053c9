"""Pages and the clients that wait for them, without a network."""

import asyncio
import threading
from contextlib import closing
from http import HTTPStatus

import pytest
from web.folders import put, table
from web.serving import shown

from steelyard.web.index import Index
from steelyard.web.page_cache import PageCache
from steelyard.web.viewer import Viewer

MINUTE = 60


class SlowIndex(Index):
    """Looks at a file when it is allowed to, and says when it was asked to."""

    def __init__(self, folder):
        super().__init__(folder)
        self.asked, self.allowed = threading.Event(), threading.Event()

    def stamp(self, identifier):
        self.asked.set()
        assert self.allowed.wait(MINUTE)
        return super().stamp(identifier)


@pytest.fixture
def index(tmp_path):
    put(tmp_path / "run.jsonl", table("run"))
    with closing(SlowIndex(tmp_path)) as made:
        made.refresh()
        yield made
        made.allowed.set()


async def client_that_leaves(pages, index, path):
    """Ask for a page and leave while its file is looked at."""
    client = asyncio.create_task(pages.get(path, "en"))
    assert await asyncio.to_thread(index.asked.wait, MINUTE)
    client.cancel()
    with pytest.raises(asyncio.CancelledError):
        await client


async def all_done():
    """Wait for every other task of this event loop."""
    await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()}, timeout=MINUTE)


@pytest.mark.parametrize("others", [0, 2])
def test_a_page_that_all_have_left_while_its_file_was_looked_at_is_not_made(index, others):
    made = []

    def render(report, language):
        made.append(report.tables[0].name)
        return shown(report, language)

    async def ask():
        pages, path = PageCache(Viewer(index, render)), f"/result/{index.listing().entries[0].id}"
        await client_that_leaves(pages, index, path)
        waiting = [asyncio.create_task(pages.get(path, "en")) for _ in range(others)]
        await asyncio.sleep(0)  # they have asked
        index.allowed.set()
        await all_done()
        assert made == ["run"] * bool(others)
        assert all(each.result().status is HTTPStatus.OK for each in waiting)
        assert (await pages.get(path, "en")).status is HTTPStatus.OK
        assert made == ["run"]

    asyncio.run(ask())
