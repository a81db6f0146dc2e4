"""Which version this is: the one place where it is written down."""

from typing import Final

__all__ = ["VERSION"]

VERSION: Final = "0.1.0"
