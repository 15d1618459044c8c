"""How far to go along Newton's direction, for an SVM on many rows."""

from backstay._kernels._compile import kernel

HALVINGS = 60
SMALL = 0.1  # of the slope at the start, where the search may end


@kernel()
def _slope(t, linear, square, free, along, pace, low, high):
    total = linear + t * square
    for i in range(len(free)):
        dual = min(max(free[i] - t * pace[i] * along[i], low[i]), high[i])
        total -= dual * along[i]
    return total


@kernel()
def step_length(linear, square, free, along, pace, low, high):
    """Return how far to go along a direction, at most 1: to where its slope is nearly 0.

    The slope is linear + t · square − Σ clip(free − t · pace · along) · along; it rises with t.
    """
    enough = SMALL * abs(_slope(0.0, linear, square, free, along, pace, low, high))
    if _slope(1.0, linear, square, free, along, pace, low, high) <= enough:
        return 1.0
    near, far = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (near + far)
        slope = _slope(middle, linear, square, free, along, pace, low, high)
        if abs(slope) <= enough:
            return middle
        near, far = (near, middle) if slope > 0.0 else (middle, far)
    return near
