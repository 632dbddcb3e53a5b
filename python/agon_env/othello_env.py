"""One match of othello behind PettingZoo's AEC interface."""

import numpy as np

from .conventions import AECEnv, Box, Dict, Match
from .othello import PLANES, REASONS, STRIKE, OthelloBatch
from .results import rewards_of

TURN_LIMIT = REASONS.index("turn_limit")


class OthelloEnv(Match, AECEnv):
    """Agents are `seat_0`, which plays black and begins, and `seat_1`. An observation is `{"observation": float32 [5, rows, cols],
    "action_mask": int8 [rows * cols]}`; an action is the number of a cell. None from the agent that is to act is a strike: its
    first legal cell is taken. Passes are played by the rules. Rewards at the end: 1, 0 or -1.
    """

    def __init__(self, board="classic-8", *, max_turns=500, strike_limit=3, render_mode=None):
        self.batch = OthelloBatch(board, 1, max_turns=max_turns, strike_limit=strike_limit)
        rows, cols = self.batch.rows, self.batch.cols
        space = Dict(
            {
                "observation": Box(0, 1, (PLANES, rows, cols), np.float32),
                "action_mask": Box(0, 1, (rows * cols,), np.int8),
            }
        )
        self._prepare("agon_othello_v1", 2, space, rows * cols, render_mode)

    def reset(self, seed=None, options=None):
        self.batch.reset(np.asarray([self._next_seed(seed)]))
        self.agents = list(self.possible_agents)
        self.rewards, self._cumulative_rewards = ({agent: 0.0 for agent in self.agents} for _ in range(2))
        self.terminations, self.truncations = ({agent: False for agent in self.agents} for _ in range(2))
        self.infos = {agent: {} for agent in self.agents}
        # An opening after which nobody can place is over before the first turn.
        self.agent_selection = self.agents[0]
        self._tell()

    def step(self, action):
        if not self.agents:
            raise RuntimeError("no match is being played: call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._leave(action)
            return
        if action is not None and not self.action_spaces[agent].contains(action):
            raise ValueError(f"{agent} has no such action: {action!r}")
        self.batch.step(np.asarray([STRIKE if action is None else int(action)]))
        self._cumulative_rewards[agent] = 0.0
        self._tell()
        for other, reward in self.rewards.items():
            self._cumulative_rewards[other] += reward

    def _leave(self, action):
        """An agent whose match is over takes its leave with None."""
        if action is not None:
            raise ValueError("when an agent is dead, the only valid action is None")
        agent = self.agent_selection
        for by_agent in (self.rewards, self._cumulative_rewards, self.terminations, self.truncations, self.infos):
            del by_agent[agent]
        self.agents.remove(agent)
        self.rewards = {other: 0.0 for other in self.agents}
        if self.agents:
            self.agent_selection = self.agents[0]

    def _tell(self):
        batch = self.batch
        if not batch.over[0]:
            self.agent_selection = self.possible_agents[batch.to_act[0]]
            return
        truncated = bool(batch.reason[0] == TURN_LIMIT)
        ranks, scores = batch.ranks()[0], batch.scores()[0]
        for seat, (agent, reward) in enumerate(zip(self.possible_agents, rewards_of(batch.ranks())[0])):
            self.rewards[agent] = float(reward)
            self.terminations[agent], self.truncations[agent] = not truncated, truncated
            self.infos[agent] = {"reason": REASONS[batch.reason[0]], "rank": int(ranks[seat]), "score": int(scores[seat])}
        self.agent_selection = self.agents[0]

    def observe(self, agent):
        seat = self.possible_agents.index(agent)
        planes = self.batch.observe(seat)[0]
        return {"observation": planes, "action_mask": planes[2].reshape(-1).astype(np.int8)}

    def last(self, observe=True):
        agent = self.agent_selection
        observation = self.observe(agent) if observe else None
        return observation, self._cumulative_rewards[agent], self.terminations[agent], self.truncations[agent], self.infos[agent]

    def agent_iter(self, max_iter=1 << 63):
        while self.agents and max_iter > 0:
            max_iter -= 1
            yield self.agent_selection

    def state(self):
        return self.batch.observe(0)[0]

    def render(self):
        """Text: `0` and `1` are the seats' discs, `#` blocked cells."""
        cells = self.batch.canonical()["cells"]
        return "\n".join(cells[at : at + self.batch.cols] for at in range(0, len(cells), self.batch.cols))
