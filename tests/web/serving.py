"""A viewer that answers on a free port, and stops at the end."""

import threading
from contextlib import contextmanager

from steelyard.web.access import Access
from steelyard.web.index import Index
from steelyard.web.server import ViewServer
from steelyard.web.viewer import Viewer


def shown(report, language):
    """Stands in for the page of a report."""
    names = " ".join(table.name for table in report.tables)
    return f"<html>{language} {names} {len(report.comparisons)}</html>"


@contextmanager
def serving(folder, *, host="127.0.0.1", token=None, **settings):
    """A running server over a folder."""
    index = Index(folder)
    viewer = Viewer(index, settings.pop("render", shown), **settings)
    with ViewServer(viewer, Access(host, token), 0) as server:
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            yield server
        finally:
            server.stop()
            thread.join()
            index.close()
