"""Objects that are filled only when somebody looks at them."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

__all__ = ["Lazy"]


class Lazy(ABC):
    """What may get its fields only when the first of them is asked for."""

    __slots__ = ("_unread",)

    _unread: Callable[[Self], None]  # sets the fields that are not set yet; missing if all are

    if not TYPE_CHECKING:  # a type checker must not take every name for an attribute

        def __getattr__(self, name: str) -> Any:
            """Compute a field that is not set yet."""
            unread = None if name == "_unread" else getattr(self, "_unread", None)
            if unread is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            del self._unread
            unread(self)
            return getattr(self, name)
