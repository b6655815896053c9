"""A viewer that answers on a free port, and stops at the end."""

import pytest
from web.serving import serving


@pytest.fixture
def served():
    return serving
