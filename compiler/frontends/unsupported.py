"""
`Unsupported`: raised by a front end for a construct that the compiler cannot express.
"""


class Unsupported(Exception):
    """A construct that the graph dialect cannot express; the message is the reason."""
