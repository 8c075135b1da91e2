"""A context variable and a value -> a block in which it has that value, in this thread and in copies of its context."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def within(variable: ContextVar[T], value: T) -> Iterator[T]:
    """Within the block the variable has this value; then it has its former one again."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)
