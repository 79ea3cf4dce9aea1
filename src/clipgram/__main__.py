"""``python -m clipgram``."""

import sys

from clipgram.cli import main

if __name__ == "__main__":
    sys.exit(main())
