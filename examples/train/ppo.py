"""Self-play with proximal policy optimisation: every seat is played by the policy that learns, and learns.

A stage is TURNS turns on every board. Rewards are the environment's: once, by rank, when a seat leaves or its match ends.
"""

import numpy as np

from agon_env import SnakesBatch
from policy import Eyes, backward, forward, log_softmax, parts_of

TURNS = 32
DISCOUNT, TRACE = 0.99, 0.95
EPOCHS, MINIBATCH = 2, 2048
CLIP, VALUE_WEIGHT, ENTROPY_WEIGHT = 0.2, 0.5, 0.01
RATE = 1e-3
GRADIENT_NORM = 0.5


class Field:
    """Matches on one board that start again for ever."""

    def __init__(self, board, boards, random):
        self.batch = SnakesBatch(board, boards, max_turns=200)
        self.eyes = Eyes(self.batch.board["rows"], self.batch.board["cols"])
        self.random = random
        self.batch.reset(random.integers(1 << 32, size=boards, dtype=np.uint32))
        self.ended, self.lasted = 0, 0

    def judge(self, parts, features):
        """Logits [n, 4] and values [n]."""
        return forward(parts, features)[:2]

    def play(self, parts):
        """One turn of every board: what was seen, chosen and gained, an entry for each seat that acted, and where it sits."""
        batch = self.batch
        acting = batch.living.copy()
        features = self.eyes.see(batch.observations[acting])
        logits, values = self.judge(parts, features)
        chances = log_softmax(logits)
        # The largest of the logits with Gumbel noise is a draw from their softmax.
        chosen = (chances - np.log(-np.log(self.random.random(chances.shape, np.float32) + 1e-12) + 1e-12)).argmax(axis=1)
        actions = np.zeros(acting.shape, np.int64)
        actions[acting] = chosen
        batch.step(actions)
        rewards = batch.rewards()[acting]
        ended = (~batch.living | batch.over[:, None])[acting]
        over = np.flatnonzero(batch.over)
        self.ended, self.lasted = self.ended + len(over), self.lasted + int(batch.turn[over].sum())
        rewards = np.where(ended, rewards, 0).astype(np.float32)
        batch.reset(self.random.integers(1 << 32, size=len(over), dtype=np.uint32), over)
        return acting, features, chosen, chances[np.arange(len(chosen)), chosen], values, rewards, ended

    def values(self, parts):
        """[boards, seats], 0 for seats that are out."""
        living = self.batch.living
        values = np.zeros(living.shape, np.float32)
        values[living] = self.judge(parts, self.eyes.see(self.batch.observations[living]))[1]
        return values


def stage_of(field, parts):
    """TURNS turns of one field, ready to learn from: features, actions, their log chances, advantages and returns."""
    turns = [field.play(parts) for _ in range(TURNS)]
    following, advantage = field.values(parts), np.zeros(field.batch.living.shape, np.float32)
    rows = []
    for acting, features, chosen, chance, value, reward, ended in reversed(turns):
        goes_on = 1 - ended.astype(np.float32)
        error = reward + DISCOUNT * goes_on * following[acting] - value
        gained = error + DISCOUNT * TRACE * goes_on * advantage[acting]
        following, advantage = np.zeros_like(following), np.zeros_like(advantage)
        following[acting], advantage[acting] = value, gained
        rows.append((features, chosen, chance, gained, gained + value))
    return [np.concatenate(column) for column in zip(*rows)]


class Learner:
    """Holds the weights and Adam's moments. `exchange` adds up a vector over all processes: they hold the same weights."""

    def __init__(self, weights, fields, random, exchange):
        self.weights, self.fields, self.random, self.exchange = weights, fields, random, exchange
        self.moments = [np.zeros_like(weights), np.zeros_like(weights)]
        self.steps = self.samples = 0

    def stage(self, progress):
        """Plays and learns once; progress from 0 to 1 lowers the rate. Answers how many turns finished matches lasted, on average."""
        parts = parts_of(self.weights)
        for field in self.fields:
            field.ended = field.lasted = 0
        columns = [np.concatenate(column) for column in zip(*(stage_of(field, parts) for field in self.fields))]
        features, chosen, chance, advantage, returns = columns
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        # Every process makes the same number of steps, so that each finds its partner.
        steps = max(1, int(self.exchange(np.array([len(chosen)], np.float64), np.minimum)[0]) // MINIBATCH)
        self.samples += int(self.exchange(np.array([len(chosen)], np.float64))[0])
        for _ in range(EPOCHS):
            for rows in np.array_split(self.random.permutation(len(chosen)), steps):
                gradient = self.gradient(parts, *(column[rows] for column in (features, chosen, chance, advantage, returns)))
                self.adapt(self.exchange(gradient), RATE * (1 - 0.9 * progress))
        ended = self.exchange(np.array([sum(getattr(field, name) for field in self.fields) for name in ("lasted", "ended")], np.float64))
        return ended[0] / max(ended[1], 1)

    def gradient(self, parts, features, chosen, chance, advantage, returns):
        logits, values, kept = forward(parts, features)
        chances = log_softmax(logits)
        share, rows = np.exp(chances), np.arange(len(chosen))
        ratio = np.exp(chances[rows, chosen] - chance)
        # Beyond the clip the objective is flat in the direction that would pay.
        moves = np.where(advantage > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
        d_chance = -(advantage * ratio * moves)
        d_logits = -share * d_chance[:, None]
        d_logits[rows, chosen] += d_chance
        entropy = -(share * chances).sum(axis=1, keepdims=True)
        d_logits += ENTROPY_WEIGHT * share * (chances + entropy)
        d_values = VALUE_WEIGHT * (values - returns)
        return backward(parts, kept, (d_logits / len(chosen)).astype(np.float32), (d_values / len(chosen)).astype(np.float32))

    def adapt(self, gradient, rate):
        norm = np.sqrt((gradient.astype(np.float64) ** 2).sum())
        gradient = gradient * np.float32(min(1, GRADIENT_NORM / (norm + 1e-12)))
        self.steps += 1
        first, second = self.moments
        first += np.float32(0.1) * (gradient - first)
        second += np.float32(0.001) * (gradient * gradient - second)
        step = (first / np.float32(1 - 0.9**self.steps)) / (np.sqrt(second / np.float32(1 - 0.999**self.steps)) + np.float32(1e-8))
        self.weights -= np.float32(rate) * step
