"""Spaces with the attributes and methods of gymnasium's, for where that library is not installed."""

import numpy as np


class Space:
    shape, dtype = None, None

    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, np.dtype(dtype)
        self._random = np.random.default_rng()

    def seed(self, seed=None):
        self._random = np.random.default_rng(seed)
        return seed

    def __contains__(self, x):
        return self.contains(x)

    def __eq__(self, other):
        return type(self) is type(other) and repr(self) == repr(other)

    __hash__ = object.__hash__


class Discrete(Space):
    """The numbers from `start` to `start + n - 1`."""

    def __init__(self, n, start=0):
        super().__init__((), np.int64)
        self.n, self.start = np.int64(n), np.int64(start)

    def sample(self, mask=None):
        choices = np.arange(self.n) if mask is None else np.flatnonzero(mask)
        return self.start + (self._random.choice(choices) if len(choices) > 0 else np.int64(0))

    def contains(self, x):
        whole = isinstance(x, (int, np.integer)) or (isinstance(x, np.ndarray) and x.shape == () and x.dtype.kind in "iu")
        return bool(whole and not isinstance(x, bool) and self.start <= x < self.start + self.n)

    def __repr__(self):
        return f"Discrete({self.n})" if self.start == 0 else f"Discrete({self.n}, start={self.start})"


class Box(Space):
    """Arrays between `low` and `high`."""

    def __init__(self, low, high, shape=None, dtype=np.float32):
        shape = np.broadcast(low, high).shape if shape is None else tuple(shape)
        super().__init__(shape, dtype)
        self.low, self.high = (np.broadcast_to(np.asarray(bound, dtype), shape).copy() for bound in (low, high))

    def sample(self, mask=None):
        if self.dtype.kind in "iu":
            return self._random.integers(self.low, self.high, endpoint=True).astype(self.dtype)
        return self._random.uniform(self.low, self.high).astype(self.dtype)

    def contains(self, x):
        fits = isinstance(x, np.ndarray) and x.shape == self.shape and np.can_cast(x.dtype, self.dtype)
        return bool(fits and np.all(x >= self.low) and np.all(x <= self.high))

    def __repr__(self):
        return f"Box({self.low.min()}, {self.high.max()}, {self.shape}, {self.dtype})"


class Dict(Space):
    """A space for each key."""

    def __init__(self, spaces):
        super().__init__(None, object)
        self.dtype = None
        self.spaces = dict(spaces)

    def seed(self, seed=None):
        return {key: space.seed(seed) for key, space in self.spaces.items()}

    def sample(self, mask=None):
        return {key: space.sample() for key, space in self.spaces.items()}

    def contains(self, x):
        return isinstance(x, dict) and x.keys() == self.spaces.keys() and all(self.spaces[key].contains(x[key]) for key in x)

    def __getitem__(self, key):
        return self.spaces[key]

    def __iter__(self):
        return iter(self.spaces)

    def __len__(self):
        return len(self.spaces)

    def keys(self):
        return self.spaces.keys()

    def __repr__(self):
        return "Dict(" + ", ".join(f"{key!r}: {space}" for key, space in self.spaces.items()) + ")"
