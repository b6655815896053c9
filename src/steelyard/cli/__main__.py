"""`python -m steelyard.cli`."""

import sys

from steelyard.cli import main

sys.exit(main())
