"""Where there is no memory, an error says for what."""

import pytest

from static_runtime.runtime.call.memory import NoMemory


def test_says_what_the_memory_was_for():
    with (
        pytest.raises(MemoryError, match="expected memory for an image, got none"),
        NoMemory("an image"),
    ):
        raise MemoryError


def test_leaves_other_errors_alone():
    with pytest.raises(KeyError), NoMemory("an image"):
        raise KeyError
    with NoMemory("an image"):
        pass
