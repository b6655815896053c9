"""`python -m steelyard`."""

import sys

from steelyard.cli import main

sys.exit(main())
