"""The tests that are registered."""

from typing import Any

GLOBAL_TEST_REGISTRY: list[Any] = []
