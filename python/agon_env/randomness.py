"""mulberry32 for many matches at once (docs/games.md#randomness). A match's whole state is its 32-bit counter."""

import numpy as np

STEP = np.uint32(0x6D2B79F5)
ONE = np.uint32(1)
SIXTY_ONE = np.uint32(61)
SHIFTS = tuple(np.uint32(bits) for bits in (15, 7, 14))
WHOLE = 1 << 32


def draw(counters, at):
    """The next whole 32-bit number of the matches `at` (indices, each once)."""
    first, second, third = SHIFTS
    a = counters[at] + STEP
    counters[at] = a
    t = (a ^ (a >> first)) * (a | ONE)
    t ^= t + (t ^ (t >> second)) * (t | SIXTY_ONE)
    return t ^ (t >> third)


def below(counters, at, n):
    """Uniform in 0..n-1 for the matches `at`; `n` is a number or one for each. A draw past the last multiple is repeated."""
    if len(at) == 0:
        return np.zeros(0, np.int64)
    limit = np.broadcast_to(WHOLE - WHOLE % n, at.shape)
    x = draw(counters, at).astype(np.int64)
    again = np.flatnonzero(x >= limit)
    while len(again) > 0:
        x[again] = draw(counters, at[again])
        again = again[x[again] >= limit[again]]
    return x % n
