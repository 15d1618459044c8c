"""What is an error about? Errors that name the parameters which a caller can change."""

from __future__ import annotations


class Refusal(ValueError):
    """Something that was given cannot be used; ``parameter`` names what would put it right."""

    def __init__(self, message: str, *, parameter: str | tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.parameter = (parameter,) if isinstance(parameter, str) else parameter
