"""The environments keep to PettingZoo's interfaces, without the library and, where it is installed, by its own tests."""

import unittest
import warnings

import numpy as np

from agon_env import BOARDS, BoardRefused, OthelloEnv, SnakesBatch, SnakesEnv, canonical_sha256, read_board

try:
    from pettingzoo.test import api_test, parallel_api_test

    WITHOUT = None
except ImportError as error:
    WITHOUT = f"pettingzoo is not installed ({error})"

SNAKES = [name for name, board in BOARDS.items() if board["format"].startswith("snakes")]
OTHELLO = [name for name, board in BOARDS.items() if board["format"].startswith("othello")]


@unittest.skipIf(WITHOUT, WITHOUT)
class UnderTheLibrary(unittest.TestCase):
    def test_parallel_api(self):
        for board in SNAKES:
            parallel_api_test(SnakesEnv(board), num_cycles=200)

    def test_aec_api(self):
        for board in OTHELLO:
            with warnings.catch_warnings():
                # Two advices of the library that do not hold for a dictionary of planes and mask.
                warnings.filterwarnings("ignore", "Observation|Action mask numpy array is all zeros")
                api_test(OthelloEnv(board), num_cycles=200)


class Parallel(unittest.TestCase):
    def test_a_match_to_its_end(self):
        for board in SNAKES:
            env = SnakesEnv(board)
            env.action_space("seat_0").seed(1)
            observations, infos = env.reset(seed=5)
            seats, rewards = set(env.possible_agents), {}
            self.assertEqual(set(observations), seats)
            self.assertEqual(set(infos), seats)
            while env.agents:
                before = list(env.agents)
                actions = {agent: safe(observations[agent], env) for agent in before}
                observations, gained, terminated, truncated, infos = env.step(actions)
                for told in (observations, gained, terminated, truncated, infos):
                    self.assertEqual(list(told), before)
                for agent in before:
                    self.assertTrue(env.observation_space(agent).contains(observations[agent]))
                    self.assertIs(env.observation_space(agent), env.observation_space(agent))
                    if terminated[agent] or truncated[agent]:
                        rewards[agent] = gained[agent]
                    else:
                        self.assertEqual(gained[agent], 0)
                self.assertEqual(env.agents, [agent for agent in before if agent not in rewards])
            self.assertEqual(set(rewards), seats)
            self.assertAlmostEqual(sum(rewards.values()), 0)
            ranks = env.batch.ranks()[0]
            order = sorted(range(len(ranks)), key=lambda seat: ranks[seat])
            self.assertEqual(order, sorted(order, key=lambda seat: -rewards[f"seat_{seat}"]))

    def test_is_the_batch_with_one_board(self):
        env, batch = SnakesEnv("walled-9"), SnakesBatch("walled-9", 3)
        observations, _ = env.reset(seed=4_000_000_000)
        batch.reset([1, 2, 4_000_000_000])
        random = np.random.default_rng(3)
        while env.agents:
            for agent, planes in observations.items():
                np.testing.assert_array_equal(planes, batch.observations[2, int(agent[-1])])
            row = random.integers(0, 4, (3, 2))
            batch.step(row)
            observations, *_ = env.step({agent: row[2, int(agent[-1])] for agent in env.agents})
        self.assertEqual(canonical_sha256(env.batch.canonical()), canonical_sha256(batch.canonical(2)))

    def test_an_agent_that_does_not_answer_has_a_strike(self):
        env = SnakesEnv("open-7", strike_limit=2)
        env.reset(seed=1)
        env.step({"seat_0": None, "seat_1": 0})
        self.assertEqual(env.batch.strikes.tolist(), [[1, 0]])
        self.assertEqual(env.batch.canonical()["seats"][0]["dir"], 0)
        _, rewards, terminated, _, infos = env.step({"seat_1": 1})
        self.assertEqual((rewards, infos["seat_0"]["cause"]), ({"seat_0": -1.0, "seat_1": 1.0}, "forfeit"))
        self.assertEqual(terminated, {"seat_0": True, "seat_1": True})


def safe(planes, env):
    open_moves = np.flatnonzero(planes[8:, 0, 0])
    return int(open_moves[0]) if len(open_moves) else env.action_space("seat_0").sample()


class AgentByAgent(unittest.TestCase):
    def test_a_match_to_its_end(self):
        for board in OTHELLO:
            env = OthelloEnv(board)
            env.reset(seed=9)
            last, rewards = None, {}
            for agent in env.agent_iter():
                last = agent
                observation, reward, terminated, truncated, info = env.last()
                self.assertTrue(env.observation_space(agent).contains(observation))
                if terminated or truncated:
                    rewards[agent] = reward
                    self.assertEqual(info["reason"], "no_moves")
                    env.step(None)
                    continue
                self.assertEqual(reward, 0)
                env.step(env.action_space(agent).sample(observation["action_mask"]))
            self.assertEqual(set(rewards), {"seat_0", "seat_1"})
            self.assertEqual(sum(rewards.values()), 0)
            self.assertEqual(env.agents, [], last)

    def test_the_agent_that_is_not_to_act_has_no_legal_cell(self):
        env = OthelloEnv()
        env.reset(seed=1)
        self.assertEqual(env.agent_selection, "seat_0")
        self.assertGreater(env.observe("seat_0")["action_mask"].sum(), 0)
        self.assertEqual(env.observe("seat_1")["action_mask"].sum(), 0)


class Refusals(unittest.TestCase):
    def test_wrong_arguments_say_so(self):
        env, othello = SnakesEnv("open-7"), OthelloEnv()
        env.reset(seed=1)
        othello.reset(seed=1)
        batch = SnakesBatch("open-7", 2)
        for wrong in (
            lambda: env.step({"seat_0": 4, "seat_1": 0}),
            lambda: othello.step(64),
            lambda: othello.step(0),
            lambda: env.reset(seed=-1),
            lambda: env.reset(seed=1 << 32),
            lambda: env.reset(seed=0.5),
            lambda: batch.step(np.zeros((2, 3), int)),
            lambda: batch.step(np.zeros((2, 2))),
            lambda: batch.step(np.full((2, 2), -2)),
            lambda: SnakesBatch("open-7", 0),
            lambda: SnakesEnv("open-7", render_mode="human"),
        ):
            with self.assertRaises(ValueError):
                wrong()
        self.assertEqual(env.batch.turn[0], 0)

    def test_no_step_before_a_match_begins(self):
        with self.assertRaisesRegex(RuntimeError, "call reset"):
            OthelloEnv().step(None)

    def test_a_board_that_cannot_be_read_says_so(self):
        for board in ("nowhere.json", __file__, "classic-8", {**BOARDS["open-7"], "rows": 4}):
            with self.assertRaises(BoardRefused):
                read_board(board, "snakes")

    def test_a_board_of_another_game_is_refused_for_its_format_alone(self):
        for env, board, takes, has in (
            (SnakesEnv, "classic-8", "snakes", "othello"),
            (OthelloEnv, BOARDS["open-7"], "othello", "snakes"),
        ):
            with self.assertRaises(BoardRefused) as refused:
                env(board)
            says = f'format must be "{takes}-board/1", and "{has}-board/1" is that of {has} boards'
            self.assertEqual(str(refused.exception), says)

    def test_observations_cannot_be_written(self):
        with self.assertRaises(ValueError):
            SnakesBatch("open-7", 1).observations[0, 0, 0] = 1


if __name__ == "__main__":
    unittest.main()
