"""A small network for snakes, with its own backward pass.

It looks at a window of 9x9 cells around its head, four times: turned so that move 0, 1, 2, 3 is up. The same weights judge all four
views, so what is learnt for one direction holds for every one, and the board may have any size.

    view [4, F] -> relu(view @ w1 + b1) -> relu(@ w2 + b2) -> @ w3: the logit of that move
                                                           -> @ v3, the mean over the four: what the match is worth (training only)
"""

import numpy as np

REACH = 4
SIDE = 2 * REACH + 1
# Own body, rivals' heads, heads as long or longer, rivals' bodies, food, walls; and 1 inside the board.
SEEN = (1, 2, 3, 4, 5, 6)
SCALES = np.array([8, 1, 1, 8, 1, 1], np.float32)
CHANNELS = len(SEEN) + 1
WINDOW = CHANNELS * SIDE * SIDE
FEATURES = WINDOW + 4 + 1
HIDDEN = 32


def turned_views():
    """[4, FEATURES]: which feature stands where in the view of each move. Lanes turn with the window; health stays."""
    rows, cols = np.indices((SIDE, SIDE)) - REACH
    views = []
    for move in range(4):
        cells = ((rows + REACH) * SIDE + cols + REACH).reshape(-1)
        window = (np.arange(CHANNELS)[:, None] * SIDE * SIDE + cells).reshape(-1)
        lanes = WINDOW + (np.arange(4) + move) % 4
        views.append(np.concatenate([window, lanes, [FEATURES - 1]]))
        rows, cols = cols, -rows
    return np.array(views)


VIEWS = turned_views()


class Eyes:
    """Features of many observations on one size of board."""

    def __init__(self, rows, cols):
        self.rows, self.cols = rows, cols
        height, width = rows + 2 * REACH, cols + 2 * REACH
        self.margin = np.zeros((0, CHANNELS, height, width), np.float32)
        channel, down, right = np.indices((CHANNELS, SIDE, SIDE))
        self.window = ((channel * height + down) * width + right).reshape(-1)
        cell = np.arange(rows * cols)
        self.corner = cell // cols * width + cell % cols

    def see(self, observations):
        """float32 [n, 12, rows, cols] to [n, FEATURES]."""
        n = len(observations)
        if len(self.margin) < n:
            self.margin = np.zeros((n, *self.margin.shape[1:]), np.float32)
            self.margin[:, -1, REACH:-REACH, REACH:-REACH] = 1
        inside = self.margin[:n, :-1, REACH:-REACH, REACH:-REACH]
        np.multiply(observations[:, SEEN[0] : SEEN[-1] + 1], SCALES[:, None, None], out=inside)
        np.minimum(inside, 1, out=inside)
        head = observations[:, 0].reshape(n, -1).argmax(axis=1)
        features = np.empty((n, FEATURES), np.float32)
        start = np.arange(n) * self.margin[0].size + self.corner[head]
        features[:, :WINDOW] = self.margin.reshape(-1)[start[:, None] + self.window]
        features[:, WINDOW:-1] = observations[:, 8:, 0, 0]
        features[:, -1] = observations[:, 7, 0, 0]
        return features


SHAPES = {"w1": (FEATURES, HIDDEN), "b1": (HIDDEN,), "w2": (HIDDEN, HIDDEN), "b2": (HIDDEN,), "w3": (HIDDEN, 1), "v3": (HIDDEN, 1)}
SIZE = sum(int(np.prod(shape)) for shape in SHAPES.values())


def parts_of(vector, shapes=SHAPES):
    """The weights by name, as views of one vector."""
    parts, at = {}, 0
    for name, shape in shapes.items():
        size = int(np.prod(shape))
        parts[name] = vector[at : at + size].reshape(shape)
        at += size
    return parts


def fresh_weights(seed):
    random = np.random.default_rng(seed)
    vector = np.zeros(SIZE, np.float32)
    parts = parts_of(vector)
    for name, gain in (("w1", 1.4), ("w2", 1.4), ("w3", 0.1), ("v3", 0.1)):
        # A window is mostly empty, which leaves room for larger weights.
        fan_in = parts[name].shape[0] / (8 if name == "w1" else 1)
        parts[name][:] = random.normal(0, gain / np.sqrt(fan_in), parts[name].shape)
    return vector


def forward(parts, features):
    """Logits [n, 4], values [n], and what the backward pass needs."""
    views = features.take(VIEWS.reshape(-1), axis=1).reshape(-1, FEATURES)
    first = np.maximum(views @ parts["w1"] + parts["b1"], 0)
    second = np.maximum(first @ parts["w2"] + parts["b2"], 0)
    logits = (second @ parts["w3"]).reshape(-1, 4)
    values = (second @ parts["v3"]).reshape(-1, 4).mean(axis=1)
    return logits, values, (views, first, second)


def backward(parts, kept, d_logits, d_values):
    """The gradient of a loss, as one vector, from those by logits and values."""
    views, first, second = kept
    gradient = np.empty(SIZE, np.float32)
    by = parts_of(gradient)
    d_logit = d_logits.reshape(-1, 1)
    d_value = np.repeat(d_values / 4, 4)[:, None]
    by["w3"][:], by["v3"][:] = second.T @ d_logit, second.T @ d_value
    d_second = (d_logit * parts["w3"].T + d_value * parts["v3"].T) * (second > 0)
    by["w2"][:], by["b2"][:] = first.T @ d_second, d_second.sum(axis=0)
    d_first = (d_second @ parts["w2"].T) * (first > 0)
    by["w1"][:], by["b1"][:] = views.T @ d_first, d_first.sum(axis=0)
    return gradient


def log_softmax(logits):
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
