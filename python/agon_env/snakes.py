"""Snakes for many boards at once: the rules of docs/games.md#snakes as numpy kernels over one board's copies.

A body is its plane. Plane 1 of a seat's observation holds (turns until the cell is free) / 64 for each cell of its body: the
length at the head, one less for each cell towards the tail, and 0 where it is not. All of these are multiples of 1/64, which
float32 holds exactly, so the plane is the only record of the body:

    the tail drops       1/64 less in every cell, at least 0
    eating               1/64 more in every cell of the body
    the head goes on     length / 64 in its cell

No two living bodies share a cell between turns, so the sum of all seats' planes says what is held and for how long. Planes 0, 2,
3 and 5 are written cell by cell; planes 1, 4 and 7 to 11 are written whole in every turn; plane 6 never changes.

Boards whose match is over stand still until `reset` starts them again.
"""

import numpy as np

from .boards import read_board
from .randomness import below
from .results import ranks_of, rewards_of
from .snakes_land import PLANES, Land

CAUSES = (None, "forfeit", "starved", "wall", "self", "body", "head")
FORFEIT, STARVED, WALL, SELF, BODY, HEAD = range(1, 7)
REASONS = (None, "forfeit", "last_standing", "all_out", "turn_limit")
UNIT = np.float32(1 / 64)
STRIKE = -1


class SnakesBatch:
    """`batch` matches on copies of one board.

    board: a map_id, a path, or a parsed board file; max_turns and strike_limit: the season's rules for a match.

    After `reset` and after every `step` these hold the state, an entry for each board first, then for each seat:

    observations  float32 [batch, seats, 12, rows, cols], a read-only view: what a match feeds each seat's model
    living, over  bool: the seats that are not out, and the boards whose match has ended
    turn          turns played
    """

    def __init__(self, board, batch, *, max_turns=500, strike_limit=3):
        if batch < 1 or max_turns < 1 or strike_limit < 1:
            raise ValueError("batch, max_turns and strike_limit are at least 1")
        self.board = read_board(board, "snakes")
        self.batch, self.seats = batch, self.board["players"]
        self.strike_limit = strike_limit
        self.turn_limit = min(max_turns, self.board["max_turns"])
        self._land = land = Land(self.board)
        cells, self._shape = land.cells, (batch, self.seats)
        size = batch * self.seats * PLANES * cells
        # A plane more takes what is written for seats that are out.
        self._flat = np.zeros(size + cells + 1, np.float32)
        self._nowhere = size
        self._planes = self._flat[:size].reshape(batch, self.seats, PLANES, cells)
        self._own = self._planes[:, :, 1]
        self._held_flat = np.zeros(batch * cells + 1, np.float32)
        self._held = self._held_flat[:-1].reshape(batch, cells)
        self._food = np.zeros((batch, cells + 1), bool)
        self.observations = self._planes.reshape(batch, self.seats, PLANES, self.board["rows"], self.board["cols"])
        self.observations.flags.writeable = False
        self._at_seat = np.arange(batch * self.seats).reshape(self._shape) * (PLANES * cells)
        self._at_held = np.arange(batch)[:, None] * cells
        self._at_food = np.arange(batch)[:, None] * (cells + 1)
        self._make_counters()
        self.reset(np.zeros(batch, np.uint32))

    def _make_counters(self):
        seats, batch = self._shape, self.batch
        self.cell, self.health, self.length = (np.zeros(seats, np.int64) for _ in range(3))
        self.dir, self.strikes, self.out_turn = (np.zeros(seats, np.int64) for _ in range(3))
        self.cause = np.zeros(seats, np.int8)
        self.living, self._left = np.zeros(seats, bool), np.zeros(batch, np.int64)
        self.turn, self.food_count = (np.zeros(batch, np.int64) for _ in range(2))
        self.rng = np.zeros(batch, np.uint32)
        self.reason = np.zeros(batch, np.int8)
        self.over = np.zeros(batch, bool)
        self._heads = np.zeros(seats, np.int64)
        self._rivals = np.zeros((*seats, self.seats - 1), np.int64)

    def reset(self, seeds, boards=None):
        """Starts the matches of `boards` (indices; all of them if None), each with its seed."""
        at = np.arange(self.batch) if boards is None else np.asarray(boards, np.int64)
        land = self._land
        self.rng[at] = seeds_of(seeds, len(at))
        self.cell[at], self.health[at], self.length[at] = land.spawns, 100, 3
        self.dir[at], self.strikes[at], self.out_turn[at], self.cause[at] = -1, 0, -1, 0
        self.living[at], self._left[at], self.over[at], self.turn[at], self.reason[at] = True, self.seats, False, 0, 0
        self._planes[at] = land.start
        self._held[at], self._food[at], self.food_count[at] = land.start_held, land.start_food, land.food_count
        self._heads[at] = self._at_seat[at] + land.spawns
        self._rivals[at] = self._at_seat[at][..., None] + land.rival_spawns + 2 * land.cells

    def step(self, actions):
        """Plays one turn on every board that is not over: `actions` [batch, seats], 0 up, 1 right, 2 down, 3 left, or -1 for a
        strike. Entries of seats that are out do not count. Returns `over`."""
        actions = self._checked(actions)
        before = self._left.copy()
        active = ~self.over
        self._take(actions, active)
        forfeits = before - self._left
        moving = self.living & active[:, None]
        self._move(moving, active)
        self._eat(moving)
        self._starve_and_crash(moving)
        self._collide(self.living & active[:, None])
        self._put_heads_down()
        self._spawn_food(active)
        self.turn += active
        self._end(active, before, forfeits)
        self._show()
        return self.over

    def _checked(self, actions):
        actions = np.asarray(actions)
        if actions.shape != self._shape or actions.dtype.kind not in "iu":
            raise ValueError(f"actions must be whole numbers of shape {self._shape}, not {actions.dtype} of {actions.shape}")
        if actions.max() > 3 or actions.min() < STRIKE:
            raise ValueError("an action is 0, 1, 2 or 3, or -1 for a strike")
        return actions

    def _take(self, actions, active):
        """Strikes count before stage 1; a seat at the limit leaves unmoved, the others go straight on."""
        acting = self.living & active[:, None]
        struck = acting & (actions < 0)
        if struck.any():
            self.strikes += struck
            actions = np.where(struck, np.maximum(self.dir, 0), actions)
            forfeiting = struck & (self.strikes >= self.strike_limit)
            self._leave(forfeiting, FORFEIT)
            acting &= ~forfeiting
        np.copyto(self.dir, actions, where=acting)

    def _move(self, moving, active):
        """Stages 1 and 2. A head off the board is on the cell after the last, which is a wall."""
        np.copyto(self.cell, self._land.next.take(self.cell * 4 + self.dir, mode="clip"), where=moving)
        drop = np.where(active, UNIT, np.float32(0))
        np.subtract(self._own, drop[:, None, None], out=self._own)
        np.maximum(self._own, 0, out=self._own)
        np.subtract(self._held, drop[:, None], out=self._held)
        np.maximum(self._held, 0, out=self._held)
        self.health -= moving

    def _eat(self, moving):
        """Stage 3. Food is removed only after every head on it has eaten."""
        eating = self._food.reshape(-1)[self.cell + self._at_food] & moving
        if not eating.any():
            return
        board, seat = np.nonzero(eating)
        self.health[board, seat] = 100
        self.length[board, seat] += 1
        body = self._own[board, seat]
        self._own[board, seat] = body + (body > 0) * UNIT
        self._recount(board)
        cell = self.cell[board, seat]
        self._food[board, cell] = False
        self._planes[board, :, 5, cell] = 0
        self.food_count[board] = np.count_nonzero(self._food[board], axis=1)

    def _starve_and_crash(self, moving):
        """Stage 4. These bodies leave before stage 5."""
        starved = self.health == 0
        leaving = moving & (starved | self._land.wall.take(self.cell))
        if leaving.any():
            self._leave(leaving, np.where(starved, STARVED, WALL))
            self.cell[self.cell == self._land.cells] = 0

    def _collide(self, alive):
        """Stage 5. The planes hold the segments behind the heads, and all causes are found before the first body leaves."""
        leaving = on_body = alive & (self._held_flat[self.cell + self._at_held] > 0)
        one, other = self._land.pairs
        board, pair = np.nonzero(self.cell[:, one] == self.cell[:, other])
        if len(board) > 0:
            one, other = one[pair], other[pair]
            meeting = alive[board, one] & alive[board, other]
            longer = self.length[board, one] - self.length[board, other]
            leaving = on_body.copy()
            for seat, loses in ((one, meeting & (longer <= 0)), (other, meeting & (longer >= 0))):
                leaving[board[loses], seat[loses]] = True
        if leaving.any():
            on_own = self._flat.take(self._at_seat + self._land.cells + self.cell) > 0
            self._leave(leaving, np.where(on_body, np.where(on_own, SELF, BODY), HEAD))

    def _leave(self, leaving, causes):
        """These seats are out, with their bodies."""
        board, seat = np.nonzero(leaving)
        self.living[board, seat] = False
        self._left[board] = np.count_nonzero(self.living[board], axis=1)
        self.cause[board, seat] = causes if np.isscalar(causes) else causes[board, seat]
        self.out_turn[board, seat] = self.turn[board]
        self._own[board, seat] = 0
        self._recount(board)

    def _recount(self, board):
        self._held[board] = self._own[board].sum(axis=1)

    def _put_heads_down(self):
        """On boards that stand still they lie there already."""
        ahead = self.length * UNIT
        self._flat[np.where(self.living, self._at_seat + self._land.cells + self.cell, self._nowhere)] = ahead
        self._held_flat[np.where(self.living, self._at_held + self.cell, -1)] = ahead

    def _spawn_food(self, active):
        """Stage 6. Below `min_food` with no free cell, no number is drawn."""
        chance = self.board["food_chance"]
        short = active & (self.food_count < self.board["min_food"])
        spawning = short
        if chance > 0:
            drawing = np.flatnonzero(active & ~short)
            spawning = short.copy()
            spawning[drawing[below(self.rng, drawing, 100) < chance]] = True
        at = np.flatnonzero(spawning)
        if len(at) == 0:
            return
        free = (self._held[at] == 0) & ~self._food[at, :-1] & self._land.open
        counts = np.count_nonzero(free, axis=1)
        if not counts.all():
            at, free, counts = at[counts > 0], free[counts > 0], counts[counts > 0]
        nth = below(self.rng, at, counts)
        cell = (np.cumsum(free, axis=1, dtype=np.int16) > nth[:, None]).argmax(axis=1)
        self._food[at, cell] = True
        self._planes[at, :, 5, cell] = 1
        self.food_count[at] += 1

    def _end(self, active, before, forfeits):
        left = self._left
        reason = np.where(before - left == forfeits, 1, np.where(left == 1, 2, 3))
        reason = np.where(left <= 1, reason, np.where(self.turn >= self.turn_limit, 4, 0))
        np.copyto(self.reason, reason, where=active, casting="unsafe")
        np.not_equal(self.reason, 0, out=self.over)

    def _show(self):
        """Everything of the observations that is not body or food."""
        land, flat, living = self._land, self._flat, self.living
        flat[self._heads] = 0
        flat[self._rivals] = 0
        flat[self._rivals + land.cells] = 0
        self._heads = np.where(living, self._at_seat + self.cell, self._nowhere)
        others = land.others
        there = self._at_seat[:, :, None] + (self.cell + 2 * land.cells)[:, others]
        self._rivals = np.where(living[:, others], there, self._nowhere)
        flat[self._heads] = 1
        flat[self._rivals] = 1
        flat[self._rivals + land.cells] = self.length[:, others] >= self.length[:, :, None]
        np.subtract(self._held[:, None], self._own, out=self._planes[:, :, 4])
        there = self._held_flat[land.beside[self.cell] + self._at_held[..., None]]
        lanes = np.empty((*self._shape, 5), np.float32)
        lanes[..., 0] = land.share.take(self.health)
        lanes[..., 1:] = (there <= UNIT) & land.way[self.cell] & living[..., None]
        self._planes[:, :, 7:] = lanes[..., None]

    def scores(self):
        """[batch, seats]; final where the match is over."""
        survived = np.where(self.living, self.turn[:, None], self.out_turn)
        return survived * (self._land.cells + 1) + self.length

    def ranks(self):
        """[batch, seats]: 1 is best, equal scores share a rank, forfeits after all others."""
        return ranks_of(self.scores(), self.cause == FORFEIT)

    def rewards(self):
        """[batch, seats], from -1 to 1: the reward of a seat that leaves now or whose match is over. Who still plays ranks before
        who has left; on a board that is not over, the entries of seats that play mean nothing yet."""
        scores = self.scores()
        playing = self.living & ~self.over[:, None]
        scores = np.where(playing, scores.max() + 1, scores)
        return rewards_of(ranks_of(scores, self.cause == FORFEIT))

    def canonical(self, board=0):
        """The state of one board as docs/games.md#replays spells it."""
        body = np.rint(self._own[board] * 64).astype(np.int64)
        seats = [self._seat(board, seat, body[seat]) for seat in range(self.seats)]
        food = np.flatnonzero(self._food[board]).tolist()
        return {"format": "snakes-state/1", "turn": int(self.turn[board]), "rng": int(self.rng[board]), "food": food, "seats": seats}

    def _seat(self, board, seat, until_free):
        order = np.argsort(-until_free, kind="stable")[: np.count_nonzero(until_free)]
        body = order.tolist()
        if body:
            body += body[-1:] * (int(until_free[body[-1]]) - 1)
        cause = int(self.cause[board, seat])
        return {
            "body": body,
            "dir": None if self.dir[board, seat] < 0 else int(self.dir[board, seat]),
            "health": int(self.health[board, seat]),
            "length": int(self.length[board, seat]),
            "out": CAUSES[cause],
            "out_turn": None if cause == 0 else int(self.out_turn[board, seat]),
            "strikes": int(self.strikes[board, seat]),
        }


def seeds_of(seeds, count):
    """Whole numbers from 0 to 2^32 - 1, one for each match."""
    seeds = np.asarray(seeds) if count > 0 else np.zeros(0, np.uint32)
    if seeds.shape not in ((), (count,)) or seeds.dtype.kind not in "iu" or (seeds < 0).any() or (seeds > 0xFFFFFFFF).any():
        raise ValueError(f"seeds must be one or {count} whole numbers from 0 to 4294967295")
    return seeds.astype(np.uint32)
