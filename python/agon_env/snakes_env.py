"""One match of snakes behind PettingZoo's parallel interface."""

import numpy as np

from .conventions import Box, Match, ParallelEnv
from .snakes import CAUSES, REASONS, STRIKE, SnakesBatch
from .snakes_land import PLANES

TURN_LIMIT = REASONS.index("turn_limit")
SIGNS = "ABCDEFGH"


class SnakesEnv(Match, ParallelEnv):
    """Agents are `seat_0`, `seat_1` and so on. Observations are float32 [12, rows, cols], as a match feeds a model; actions are 0 up,
    1 right, 2 down, 3 left. An agent without an action, or with None, has a strike and goes straight on.

    The reward comes once, when the seat leaves or the match ends: from -1 for the last to 1 for the sole first, by the rank that
    it then has; who still plays ranks before who has left. A match that ends at the turn limit is truncated.
    """

    def __init__(self, board="open-7", *, max_turns=500, strike_limit=3, render_mode=None):
        self.batch = SnakesBatch(board, 1, max_turns=max_turns, strike_limit=strike_limit)
        shape = self.batch.observations.shape[2:]
        high = np.ones(shape, np.float32)
        # A body covers at most every cell, and two segments more may lie on its tail.
        high[[1, 4]] = (shape[1] * shape[2] + 2) / 64
        self._prepare("agon_snakes_v1", self.batch.seats, Box(np.zeros(shape, np.float32), high), 4, render_mode)

    def reset(self, seed=None, options=None):
        self.batch.reset(np.asarray([self._next_seed(seed)]))
        self.agents = list(self.possible_agents)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(self, actions):
        batch, agents = self.batch, self.agents
        row = np.full((1, batch.seats), STRIKE, np.int64)
        for seat, agent in enumerate(self.possible_agents):
            action = actions.get(agent)
            if agent in agents and action is not None:
                if not self.action_spaces[agent].contains(action):
                    raise ValueError(f"{agent} has no such action: {action!r}")
                row[0, seat] = action
        batch.step(row)
        over, living = bool(batch.over[0]), batch.living[0]
        observations, rewards = self._observations(), batch.rewards()[0]
        ends = {agent: over or not living[self._seat(agent)] for agent in agents}
        truncated = {agent: bool(ends[agent] and living[self._seat(agent)] and batch.reason[0] == TURN_LIMIT) for agent in agents}
        terminated = {agent: bool(ends[agent]) and not truncated[agent] for agent in agents}
        infos = {agent: self._info(self._seat(agent), over) for agent in agents}
        self.agents = [agent for agent in agents if not ends[agent]]
        return observations, {agent: float(rewards[self._seat(agent)]) if ends[agent] else 0.0 for agent in agents}, terminated, truncated, infos

    def _seat(self, agent):
        return self.possible_agents.index(agent)

    def _observations(self):
        return {agent: self.batch.observations[0, self._seat(agent)].copy() for agent in self.agents}

    def _info(self, seat, over):
        cause = CAUSES[self.batch.cause[0, seat]]
        info = {} if cause is None else {"cause": cause}
        if over:
            info.update(rank=int(self.batch.ranks()[0, seat]), score=int(self.batch.scores()[0, seat]))
        return info

    def state(self):
        """The observations of all seats, [seats * 12, rows, cols]."""
        return self.batch.observations[0].reshape(-1, *self.batch.observations.shape[3:]).copy()

    def render(self):
        """Text: heads are capitals, bodies small letters, `*` food, `#` walls."""
        state, board = self.batch.canonical(), self.batch.board
        signs = np.full(board["rows"] * board["cols"], ".")
        signs[self.batch.observations[0, 0, 6].reshape(-1) > 0] = "#"
        signs[state["food"]] = "*"
        for seat, sign in zip(state["seats"], SIGNS):
            signs[seat["body"][1:]] = sign.lower()
            signs[seat["body"][:1]] = sign
        return "\n".join("".join(row) for row in signs.reshape(board["rows"], board["cols"]))
