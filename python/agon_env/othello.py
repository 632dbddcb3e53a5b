"""Othello for many boards at once: the rules of docs/games.md#othello as numpy kernels over one board's copies.

Discs are two arrays of flags, one for each seat, on a board with a margin: a free column after the last one, and a row above and
below. So a step in one of the eight directions is one offset in the flat array, and lines end at the margin, where no disc lies,
as they end at blocked cells. All boards lie behind each other, and a whole batch moves by one slice.
"""

import numpy as np

from .boards import read_board
from .checking import middle_of
from .randomness import below
from .results import ranks_of
from .snakes import STRIKE, seeds_of

PLANES = 5
REASONS = (None, "forfeit", "no_moves", "turn_limit")
NO_MOVES, TURN_LIMIT = 2, 3
OPENING_PLACEMENTS = 4


class OthelloBatch:
    """`batch` matches on copies of one board; arguments as for SnakesBatch.

    to_act  [batch]: the seat to act, -1 where the match is over
    legal   bool [batch, rows * cols]: where it may place
    over    bool [batch];  turn: turns played
    """

    def __init__(self, board, batch, *, max_turns=500, strike_limit=3):
        if batch < 1 or max_turns < 1 or strike_limit < 1:
            raise ValueError("batch, max_turns and strike_limit are at least 1")
        self.board = read_board(board, "othello")
        self.batch, self.strike_limit = batch, strike_limit
        self.rows, self.cols = self.board["rows"], self.board["cols"]
        self.cells = self.rows * self.cols
        self.turn_limit = min(max_turns, self.cells)
        self._width = width = self.cols + 1
        self._size = (self.rows + 2) * width
        cell = np.arange(self.cells)
        self._inside = (cell // self.cols + 1) * width + cell % self.cols
        self._offsets = np.array([down * width + right for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right])
        self.blocked = np.zeros(self.cells, bool)
        self.blocked[[row * self.cols + col for row, col in self.board["blocked"]]] = True
        self._field = np.zeros(self._size, bool)
        self._field[self._inside[~self.blocked]] = True
        self._discs = np.zeros((2, batch, self._size), bool)
        self.legal = np.zeros((batch, self.cells), bool)
        self.to_act, self.turn = np.zeros(batch, np.int64), np.zeros(batch, np.int64)
        self.rng = np.zeros(batch, np.uint32)
        self.reason, self.over = np.zeros(batch, np.int8), np.zeros(batch, bool)
        self.strikes, self.out = np.zeros((batch, 2), np.int64), np.zeros((batch, 2), bool)
        self.reset(np.zeros(batch, np.uint32))

    def reset(self, seeds, boards=None):
        """Starts the matches of `boards` (indices; all of them if None), each with its seed and its drawn opening."""
        at = np.arange(self.batch) if boards is None else np.asarray(boards, np.int64)
        self.rng[at] = seeds_of(seeds, len(at))
        self.turn[at], self.reason[at], self.strikes[at], self.out[at] = 0, 0, 0, False
        upper_left, upper_right, lower_left, lower_right = self._inside[list(middle_of(self.rows, self.cols))]
        self._discs[:, at] = False
        for seat, cells in enumerate(((upper_right, lower_left), (upper_left, lower_right))):
            for cell in cells:
                self._discs[seat, at, cell] = True
        self._give_turn(at, np.zeros(len(at), np.int64))
        for _ in range(OPENING_PLACEMENTS):
            at = at[self.reason[at] == 0]
            legal = self.legal[at]
            nth = below(self.rng, at, np.count_nonzero(legal, axis=1))
            self._play(at, (np.cumsum(legal, axis=1, dtype=np.int16) > nth[:, None]).argmax(axis=1))

    def step(self, actions):
        """Plays one turn on every board that is not over: `actions` [batch], the number of a legal cell, or -1 for a strike.
        Entries of boards that are over do not count. Returns `over`."""
        actions = np.asarray(actions)
        if actions.shape != (self.batch,) or actions.dtype.kind not in "iu":
            raise ValueError(f"actions must be whole numbers of shape ({self.batch},), not {actions.dtype} of {actions.shape}")
        at = np.flatnonzero(~self.over)
        chosen = actions[at].astype(np.int64)
        struck = chosen == STRIKE
        inside = (chosen >= 0) & (chosen < self.cells)
        wrong = ~struck & ~(inside & self.legal[at, np.where(inside, chosen, 0)])
        if wrong.any():
            first = np.flatnonzero(wrong)[0]
            raise ValueError(f"seat {self.to_act[at[first]]} of board {at[first]} may not place at {chosen[first]}")
        if struck.any():
            seats = self.to_act[at]
            self.strikes[at[struck], seats[struck]] += 1
            forfeiting = struck & (self.strikes[at, seats] >= self.strike_limit)
            self.out[at[forfeiting], seats[forfeiting]] = True
            self.turn[at[forfeiting]] += 1
            self._end(at[forfeiting], 1)
            chosen = np.where(struck, self.legal[at].argmax(axis=1), chosen)
            at, chosen = at[~forfeiting], chosen[~forfeiting]
        self.turn[at] += 1
        self._play(at, chosen)
        return self.over

    def _play(self, at, cell):
        """Puts a disc of the seat to act on every board of `at`, turns over what it encloses, and gives the turn on."""
        seat = self.to_act[at]
        rows = at * self._size
        start = self._inside[cell] + rows
        mine, theirs = self._discs.reshape(-1), self._discs.reshape(-1)
        own = (seat * self.batch * self._size + start)[:, None]
        other = ((1 - seat) * self.batch * self._size + start)[:, None]
        run = np.zeros((len(at), 8), np.int64)
        going = theirs[other + self._offsets]
        while going.any():
            run += going
            going &= theirs[other + (run + 1) * self._offsets]
        closed = (run > 0) & mine[np.where(run > 0, own + (run + 1) * self._offsets, 0)]
        run = np.where(closed, run, 0)
        for length in range(1, int(run.max(initial=0)) + 1):
            board, direction = np.nonzero(run >= length)
            reach = length * self._offsets[direction]
            mine[own[board, 0] + reach] = True
            theirs[other[board, 0] + reach] = False
        mine[own] = True
        self._give_turn(at, 1 - seat)

    def _give_turn(self, at, seat):
        """To `seat`, to the other where it cannot place (a pass), or to nobody where neither can or the turns are used up."""
        legal = self._legal_for(at, seat)
        able = legal.any(axis=1)
        passing = np.flatnonzero(~able)
        if len(passing) > 0:
            seat = seat.copy()
            seat[passing] = 1 - seat[passing]
            legal[passing] = self._legal_for(at[passing], seat[passing])
            able[passing] = legal[passing].any(axis=1)
        self.to_act[at], self.legal[at], self.over[at] = seat, legal, False
        self._end(at[~able], NO_MOVES)
        self._end(at[able & (self.turn[at] >= self.turn_limit)], TURN_LIMIT)

    def _end(self, at, reason):
        self.reason[at], self.to_act[at], self.legal[at], self.over[at] = reason, -1, False, True

    def _legal_for(self, at, seat):
        own, other = self._discs[seat, at].reshape(-1), self._discs[1 - seat, at].reshape(-1)
        found = np.zeros_like(own)
        for offset in self._offsets[4:]:
            for shifted in (_forward, _backward):
                reach = shifted(own, offset) & other
                more = reach
                for _ in range(max(self.rows, self.cols) - 3):
                    more = shifted(more, offset) & other
                    if not more.any():
                        break
                    reach |= more
                found |= shifted(reach, offset)
        found = (found & ~own & ~other).reshape(len(at), self._size) & self._field
        return found[:, self._inside]

    def observe(self, seat=None):
        """float32 [batch, 5, rows, cols], what a match feeds the model of `seat`: of the seat to act where it is None."""
        seats = np.maximum(self.to_act, 0) if seat is None else np.full(self.batch, seat, np.int64)
        boards = np.arange(self.batch)
        planes = np.zeros((self.batch, PLANES, self.cells), np.float32)
        planes[:, 0] = self._discs[seats, boards][:, self._inside]
        planes[:, 1] = self._discs[1 - seats, boards][:, self._inside]
        planes[:, 2] = self.legal & (self.to_act == seats)[:, None]
        planes[:, 3] = self.blocked
        planes[:, 4] = (seats == 0)[:, None]
        return planes.reshape(self.batch, PLANES, self.rows, self.cols)

    def scores(self):
        """[batch, 2]: discs as they stand."""
        return np.count_nonzero(self._discs, axis=2).T

    def ranks(self):
        """[batch, 2]: 1 is best, equal scores share a rank, a forfeit comes last."""
        return ranks_of(self.scores(), self.out)

    def canonical(self, board=0):
        """The state of one board as docs/games.md#replays spells it."""
        black, white = self._discs[:, board, self._inside]
        signs = np.where(self.blocked, "#", np.where(black, "0", np.where(white, "1", ".")))
        seat = lambda number: {"out": "forfeit" if self.out[board, number] else None, "strikes": int(self.strikes[board, number])}
        return {
            "format": "othello-state/1",
            "turn": int(self.turn[board]),
            "rng": int(self.rng[board]),
            "cells": "".join(signs),
            "to_act": None if self.over[board] else int(self.to_act[board]),
            "seats": [seat(0), seat(1)],
        }


def _forward(flags, offset):
    moved = np.zeros_like(flags)
    moved[offset:] = flags[:-offset]
    return moved


def _backward(flags, offset):
    moved = np.zeros_like(flags)
    moved[:-offset] = flags[offset:]
    return moved
