"""The classes of Gymnasium and PettingZoo that the environments use: the libraries' own where they are installed, so that a test for
an instance of them holds, and otherwise classes of the same attributes."""

import numpy as np

try:
    from gymnasium.spaces import Box, Dict, Discrete
except ImportError:
    from .spaces import Box, Dict, Discrete


class _Env:
    @property
    def num_agents(self):
        return len(self.agents)

    @property
    def max_num_agents(self):
        return len(self.possible_agents)

    @property
    def unwrapped(self):
        return self

    def __str__(self):
        return self.metadata["name"]


try:
    from pettingzoo import AECEnv, ParallelEnv
except ImportError:
    AECEnv = ParallelEnv = _Env


class Match:
    """The common part of both environments: agents that are named for their seats, a space for all of them, and seeds."""

    def _prepare(self, name, seats, observation_space, actions, render_mode):
        if render_mode not in (None, "ansi"):
            raise ValueError('render_mode is None or "ansi"')
        self.metadata = {"name": name, "render_modes": ["ansi"], "is_parallelizable": False}
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(seats)]
        self.agents = []
        self.observation_spaces = {agent: observation_space for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(actions) for agent in self.possible_agents}
        self._seeds = np.random.default_rng()

    def _next_seed(self, seed):
        """A match's seed: the one that is given, a whole number below 2^32, or one that is drawn."""
        return self._seeds.integers(1 << 32) if seed is None else seed

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def action_space(self, agent):
        return self.action_spaces[agent]

    def close(self):
        pass
