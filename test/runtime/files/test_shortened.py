"""Messages show so much of a text, and no more."""

from static_runtime.runtime.files.shortened import listed, shortened


def test_both_ends_of_a_text_are_shown():
    text = "abcdefghijklmnopqrstuvwxyz"
    assert shortened(text, 26) == text
    assert shortened(text, 25) == "abcdefghijklmn...stuvwxyz"
    assert shortened(text, 12) == "abcde...wxyz"
    assert len(shortened(text * 100)) == 80


def test_many_names_are_one_short_text():
    assert listed(["a", "b"]) == "a, b"
    assert listed([]) == ""
    assert len(listed(["n" * 1000] * 1000)) == 800
