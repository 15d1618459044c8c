"""What is an error about? Errors that name the parameters which a caller can change."""

from __future__ import annotations


class Refusal(ValueError):
    """Something was given that cannot be used; the message says what to do.

    Parameters
    ----------
    message : str
        What was wrong, and what would be right.
    parameter : str or tuple of str, optional
        The parameters that would put it right, the likeliest first.
    """

    def __init__(self, message: str, *, parameter: str | tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.parameter = (parameter,) if isinstance(parameter, str) else parameter
