"""Trains an othello policy from nothing by self-play, measures it against random play, exports it, and has it examined.

    /usr/bin/python3 examples/train/othello.py [--minutes 1] [--out FOLDER]

Every legal cell is judged by the window of 7x7 cells around it, with the same weights, so a board of any size will do: own discs, the
other's, and cells that are there at all, which shows edges, corners and holes.

    window [F] -> relu(window @ w1 + b1) -> relu(@ w2 + b2) -> @ w3: the logit of that cell
                                                            -> @ v3, tanh of the mean over the legal cells: who will win (training only)
"""

import argparse
import os
import time
from pathlib import Path

# Before numpy is loaded: one thread.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from train import minutes, node

from agon_env import OthelloBatch
from onnx_file import Graph, manifest_bytes, port
from policy import parts_of
from ppo import CLIP, EPOCHS, ENTROPY_WEIGHT, VALUE_WEIGHT, Learner

REACH = 3
SIDE = 2 * REACH + 1
CHANNELS = 3
WINDOW = CHANNELS * SIDE * SIDE
HIDDEN, SECOND = 48, 24
SHAPES = {"w1": (WINDOW, HIDDEN), "b1": (HIDDEN,), "w2": (HIDDEN, SECOND), "b2": (SECOND,), "w3": (SECOND, 1), "v3": (SECOND, 1)}
SIZE = sum(int(np.prod(shape)) for shape in SHAPES.values())
# The boards to learn on, and how many matches of each a stage plays.
FIELDS = {"classic-8": 96, "small-6": 48, "holes-10": 32}
MINIBATCH = 1024
RATE = 1e-3
Z = 1.96


def fresh_weights(seed):
    random = np.random.default_rng(seed)
    vector = np.zeros(SIZE, np.float32)
    parts = parts_of(vector, SHAPES)
    for name, gain in (("w1", 2), ("w2", 1.4), ("w3", 0.1), ("v3", 0.1)):
        parts[name][:] = random.normal(0, gain / np.sqrt(len(parts[name])), parts[name].shape)
    return vector


class Eyes:
    """The windows of all legal cells on one size of board, one board behind the other."""

    def __init__(self, rows, cols):
        width = cols + 2 * REACH
        channel, down, right = np.indices((CHANNELS, SIDE, SIDE))
        self.window = ((channel * (rows + 2 * REACH) + down) * width + right).reshape(-1)
        cell = np.arange(rows * cols)
        self.corner = cell // cols * width + cell % cols

    def see(self, observations, legal):
        """uint8 [k, WINDOW] of the k legal cells of all boards, and the number [k] of each cell. `legal`: bool [n, cells]."""
        seen = np.stack([observations[:, 0], observations[:, 1], 1 - observations[:, 3]], axis=1).astype(np.uint8)
        seen = np.pad(seen, ((0, 0), (0, 0), (REACH, REACH), (REACH, REACH)))
        board, cell = np.nonzero(legal)
        return seen.reshape(-1)[(board * seen[0].size + self.corner[cell])[:, None] + self.window], cell


def forward(parts, windows, counts):
    """Log chances [k] of the legal cells, values [n], and what the backward pass needs. `counts` [n]: how many cells each board has."""
    windows = windows.astype(np.float32)
    starts, board = np.cumsum(counts) - counts, np.repeat(np.arange(len(counts)), counts)
    first = np.maximum(windows @ parts["w1"] + parts["b1"], 0)
    second = np.maximum(first @ parts["w2"] + parts["b2"], 0)
    logits = (second @ parts["w3"])[:, 0]
    shifted = logits - np.maximum.reduceat(logits, starts)[board]
    chances = shifted - np.log(np.add.reduceat(np.exp(shifted), starts))[board]
    values = np.tanh(np.add.reduceat((second @ parts["v3"])[:, 0], starts) / counts)
    return chances, values, (windows, first, second, starts, board)


def backward(parts, kept, d_logits, d_means):
    """The gradient of a loss, as one vector, from those by logits [k] and by the means that values are the tanh of [k]."""
    windows, first, second, _, _ = kept
    gradient = np.empty(SIZE, np.float32)
    by = parts_of(gradient, SHAPES)
    d_logits, d_means = d_logits[:, None].astype(np.float32), d_means[:, None].astype(np.float32)
    by["w3"][:], by["v3"][:] = second.T @ d_logits, second.T @ d_means
    d_second = (d_logits * parts["w3"].T + d_means * parts["v3"].T) * (second > 0)
    by["w2"][:], by["b2"][:] = first.T @ d_second, d_second.sum(axis=0)
    d_first = (d_second @ parts["w2"].T) * (first > 0)
    by["w1"][:], by["b1"][:] = windows.T @ d_first, d_first.sum(axis=0)
    return gradient


def played(board, seeds, choose):
    """Plays matches to their end. `choose(observations, legal, seats, boards)` answers a cell for each board that goes on. The batch."""
    batch = OthelloBatch(board, len(seeds))
    batch.reset(seeds)
    while not batch.over.all():
        at = np.flatnonzero(~batch.over)
        actions = np.zeros(batch.batch, np.int64)
        actions[at] = choose(batch.observe()[at], batch.legal[at], batch.to_act[at], at)
        batch.step(actions)
    return batch


class OthelloLearner(Learner):
    """As for snakes, with whole matches: what a move was worth is whether its match was won, beside what was expected."""

    def stage(self, progress):
        parts = parts_of(self.weights, SHAPES)
        turns = [turn for board, matches in FIELDS.items() for turn in self.matches(parts, board, matches)]
        windows, counts, chosen, chance, values, results = (np.concatenate(column) for column in zip(*turns))
        advantage = results - values
        advantage /= advantage.std() + 1e-8
        starts = np.cumsum(counts) - counts
        self.samples += len(counts)
        for _ in range(EPOCHS):
            for rows in np.array_split(self.random.permutation(len(counts)), max(1, len(counts) // MINIBATCH)):
                cells = np.concatenate([np.arange(start, start + count) for start, count in zip(starts[rows], counts[rows])])
                given = (chosen[rows], chance[rows], advantage[rows], results[rows])
                self.adapt(self.gradient(parts, windows[cells], counts[rows], *given), RATE * (1 - 0.9 * progress))

    def matches(self, parts, board, matches):
        """The turns of so many matches, all seats played by the policy: a tuple of columns for each."""
        turns, eyes = [], None

        def choose(observations, legal, seats, boards):
            nonlocal eyes
            eyes = eyes or Eyes(*observations.shape[2:])
            windows, cell = eyes.see(observations, legal)
            counts = np.count_nonzero(legal, axis=1)
            chances, values, (*_, starts, _) = forward(parts, windows, counts)
            noisy = chances - np.log(-np.log(self.random.random(len(chances)) + 1e-12) + 1e-12)
            best = np.maximum.reduceat(noisy, starts)
            picked = np.flatnonzero(noisy == np.repeat(best, counts))
            turns.append((windows, counts, picked - starts, chances[picked], values, seats, boards))
            return cell[picked]

        batch = played(board, self.random.integers(1 << 32, size=matches, dtype=np.uint32), choose)
        score = batch.scores()
        won = np.sign(score[:, 0] - score[:, 1]).astype(np.float32)
        return [(*columns, np.where(seats == 0, won[boards], -won[boards])) for *columns, seats, boards in turns]

    def gradient(self, parts, windows, counts, chosen, chance, advantage, results):
        chances, values, kept = forward(parts, windows, counts)
        *_, starts, board = kept
        share, picked = np.exp(chances), starts + chosen
        ratio = np.exp(chances[picked] - chance)
        moves = np.where(advantage > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
        d_chance = -(advantage * ratio * moves)
        d_logits = -share * d_chance[board]
        d_logits[picked] += d_chance
        entropy = -np.add.reduceat(share * chances, starts)
        d_logits += ENTROPY_WEIGHT * share * (chances + entropy[board])
        d_means = VALUE_WEIGHT * (values - results) * (1 - values**2) / counts
        return backward(parts, kept, d_logits / len(counts), d_means[board] / len(counts))


def against_random(weights, matches, seed):
    """The share of matches won against random play, a draw being half, with its interval of 95 %: on every board, from either seat."""
    parts, random, won = parts_of(weights, SHAPES), np.random.default_rng(seed), []
    for board in FIELDS:
        own_seat = np.arange(-(-matches // len(FIELDS))) % 2
        eyes = None

        def choose(observations, legal, seats, boards):
            nonlocal eyes
            eyes = eyes or Eyes(*observations.shape[2:])
            windows, cell = eyes.see(observations, legal)
            chances, *_ = forward(parts, windows, np.count_nonzero(legal, axis=1))
            logits = np.full(legal.shape, -np.inf)
            logits[legal] = np.where(np.repeat(seats == own_seat[boards], np.count_nonzero(legal, axis=1)), chances, random.random(len(chances)))
            return logits.argmax(axis=1)

        score = played(board, random.integers(1 << 32, size=len(own_seat), dtype=np.uint32), choose).scores()
        own, other = score[np.arange(len(own_seat)), own_seat], score[np.arange(len(own_seat)), 1 - own_seat]
        won.extend((1 + np.sign(own - other)) / 2)
    won = np.array(won[:matches])
    share, spread = won.mean(), Z**2 / len(won)
    middle, half = (share + spread / 2) / (1 + spread), np.sqrt((share * (1 - share) + spread / 4) * spread) / (1 + spread)
    return share, middle - half, middle + half


def export(weights, path):
    """Writes PATH.onnx and PATH.json: the windows are those of a convolution, and what lies off the board is its padding."""
    parts, g = parts_of(weights, SHAPES), Graph()
    kernel = lambda name, *shape: np.ascontiguousarray(parts[name].T).reshape(shape)
    discs = g.node("Gather", "obs", np.array([0, 1], np.int64), axis=1)
    free = g.node("Sub", np.ones((1, 1, 1, 1), np.float32), g.node("Gather", "obs", np.array([3], np.int64), axis=1))
    seen = g.node("Concat", discs, free, axis=1)
    first = g.node("Relu", g.node("Conv", seen, kernel("w1", HIDDEN, CHANNELS, SIDE, SIDE), parts["b1"], pads=[REACH] * 4))
    second = g.node("Relu", g.node("Conv", first, kernel("w2", SECOND, HIDDEN, 1, 1), parts["b2"]))
    g.node("Flatten", g.node("Conv", second, kernel("w3", 1, SECOND, 1, 1)), axis=1, name="logits")
    path.with_suffix(".onnx").write_bytes(g.file([port("obs", ["N", 5, "H", "W"])], [port("logits", ["N", "A"])]))
    path.with_suffix(".json").write_bytes(manifest_bytes(path.name, "othello"))


def say(weights, given):
    share, low, high = against_random(weights, given.matches, given.seed)
    print(f"random play  {100 * share:.0f} % won (95 %: {100 * low:.0f} to {100 * high:.0f}) of {given.matches} matches", flush=True)


def main():
    options = argparse.ArgumentParser(description="Trains an othello policy from nothing.")
    options.add_argument("--out", type=lambda path: Path(path).resolve(), default=Path("trained").resolve())
    options.add_argument("--minutes", type=minutes, default=1, help="how long to train, in processor time (default: 1)")
    options.add_argument("--stages", type=int, default=0, help="train for so many stages instead")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--matches", type=int, default=200, help="matches against random play, before and after")
    options.add_argument("--curve", type=int, default=4, help="how often to measure on the way")
    given = options.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    learner = OthelloLearner(fresh_weights(given.seed), [], np.random.default_rng(given.seed), None)
    say(learner.weights, given)
    began, stage, progress, told = time.process_time(), 0, 0.0, 0
    while progress < 1:
        learner.stage(progress)
        stage += 1
        progress = stage / given.stages if given.stages else (time.process_time() - began) / (60 * given.minutes)
        if progress < 1 and progress * given.curve >= told + 1:
            told += 1
            print(f"stage {stage}, {time.process_time() - began:.0f} s, {learner.samples:,} moves", flush=True)
            say(learner.weights, given)
    print(f"stage {stage}, {time.process_time() - began:.0f} s, {learner.samples:,} moves", flush=True)
    say(learner.weights, given)
    export(learner.weights, given.out / "othello")
    node("packages/cli/src/main.ts", "examine", given.out / "othello.onnx", given.out / "othello.json", "--game", "othello")


if __name__ == "__main__":
    main()
