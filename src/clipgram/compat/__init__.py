"""Drop-ins for other scorers: their names, arguments, exceptions and last digits, oddities included.

Each module stands for one library, as pinned in the extra that tests it. What is odd in a library is odd here and
nowhere else in clipgram; each module says what that is. None of them needs the library it stands for, but that of
torchmetrics, whose classes are torchmetrics' own kind.
"""

from clipgram.compat._patching import Patch, patch

__all__ = ("Patch", "patch")
