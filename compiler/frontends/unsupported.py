"""What a front end raises for what a format allows and the compiler has no form for."""


class Unsupported(Exception):
    """Something without a form in the graph dialect; the message is the reason."""
