"""The same with PyTorch: a convolutional policy for snakes, learnt from nothing by its autograd, and written by its own ONNX export.

    apt-get install python3-torch
    /usr/bin/python3 examples/train/torch_policy.py [--minutes 4] [--out FOLDER]

One process on one thread. It asks for PyTorch 1.13 or later and for nothing else: no onnx, no onnxscript.
"""

import argparse
import time
import warnings
from pathlib import Path

from train import matches, minutes, node  # first of ours: it sets the threads before numpy is loaded, and the path to agon_env

import numpy as np
import torch
from torch import nn
from torch.nn.functional import log_softmax

from onnx_file import manifest_bytes
from ppo import CLIP, ENTROPY_WEIGHT, EPOCHS, GRADIENT_NORM, RATE, VALUE_WEIGHT, Field, stage_of

PLANES, WIDTH, MOVES = 12, 24, 4
MINIBATCH = 1024
OPSET = 13
# The boards to learn on, and how many of each are played at once.
FIELDS = {"open-7": 64, "open-11": 24}


class Policy(nn.Module):
    """Planes in, a logit for each move out, on boards of any size: what three convolutions see around its head."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(PLANES, WIDTH, 3, padding=1), nn.ReLU(),
            nn.Conv2d(WIDTH, WIDTH, 3, padding=1), nn.ReLU(),
            nn.Conv2d(WIDTH, WIDTH, 3, padding=1), nn.ReLU(),
        )  # fmt: skip
        self.moves = nn.Linear(WIDTH, MOVES)
        self.worth = nn.Linear(WIDTH, 1)  # for learning alone: the export leaves it out, since logits do not depend on it
        # Bodies hold the turns until a cell is free, divided by 64: the nearest of these matter.
        self.register_buffer("scales", torch.ones(PLANES, 1, 1))
        self.scales[[1, 4]] = 8.0

    def at_head(self, obs):
        return (self.body((obs * self.scales).clamp(max=1)) * obs[:, :1]).sum(dim=(2, 3))

    def forward(self, obs):
        return self.moves(self.at_head(obs))


class Planes:
    """Eyes that take the planes as they are."""

    def see(self, observations):
        return observations


class TorchField(Field):
    def __init__(self, board, boards, random):
        super().__init__(board, boards, random)
        self.eyes = Planes()

    @torch.no_grad()
    def judge(self, policy, planes):
        seen = policy.at_head(torch.from_numpy(planes))
        return policy.moves(seen).numpy(), policy.worth(seen)[:, 0].numpy()


def learn(policy, optimiser, columns, random):
    """A few passes over one board's turns, by proximal policy optimisation."""
    planes, chosen, chance, advantage, returns = (torch.from_numpy(column) for column in columns)
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    for _ in range(EPOCHS):
        for rows in torch.from_numpy(random.permutation(len(chosen))).split(MINIBATCH):
            seen = policy.at_head(planes[rows])
            chances = log_softmax(policy.moves(seen), dim=1)
            ratio = (chances[torch.arange(len(rows)), chosen[rows]] - chance[rows]).exp()
            gain = torch.minimum(ratio * advantage[rows], ratio.clamp(1 - CLIP, 1 + CLIP) * advantage[rows]).mean()
            error = (policy.worth(seen)[:, 0] - returns[rows]).square().mean()
            entropy = -(chances.exp() * chances).sum(dim=1).mean()
            optimiser.zero_grad()
            (VALUE_WEIGHT / 2 * error - gain - ENTROPY_WEIGHT * entropy).backward()
            nn.utils.clip_grad_norm_(policy.parameters(), GRADIENT_NORM)
            optimiser.step()


def export(policy, path):
    """Writes PATH.onnx and PATH.json: the usual export, with the names of the contract and the sizes that vary."""
    obs = torch.zeros(2, PLANES, 11, 9)
    varies = {"obs": {0: "N", 2: "H", 3: "W"}, "logits": {0: "N"}}
    warnings.simplefilter("ignore", UserWarning)  # of constants whose shapes 1.13 does not infer; it writes them rightly
    torch.onnx.export(
        policy.eval(), (obs,), str(path.with_suffix(".onnx")), opset_version=OPSET,
        input_names=["obs"], output_names=["logits"], dynamic_axes=varies,
    )  # fmt: skip
    path.with_suffix(".json").write_bytes(manifest_bytes(path.name, opset=OPSET))


def main():
    options = argparse.ArgumentParser(description="Trains a snakes policy from nothing, with PyTorch.")
    options.add_argument("--out", type=lambda path: Path(path).resolve(), default=Path("trained").resolve())
    options.add_argument("--minutes", type=minutes, default=4, help="how long to train, in processor time (default: 4)")
    options.add_argument("--stages", type=int, default=0, help="train for so many stages instead")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--matches", type=matches, default=200, help="matches against each model of the zoo; 0 for none")
    given = options.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    torch.manual_seed(given.seed)
    random, policy = np.random.default_rng(given.seed), Policy()
    optimiser = torch.optim.Adam(policy.parameters(), RATE)
    fields = [TorchField(board, boards, random) for board, boards in FIELDS.items()]
    began, stage, progress, moves = time.process_time(), 0, 0.0, 0
    while progress < 1:
        for field in fields:
            columns = stage_of(field, policy)
            moves += len(columns[1])
            learn(policy, optimiser, columns, random)
        stage += 1
        progress = stage / given.stages if given.stages else (time.process_time() - began) / (60 * given.minutes)
        for group in optimiser.param_groups:
            group["lr"] = RATE * (1 - 0.9 * min(progress, 1))
    print(f"stage {stage}, {time.process_time() - began:.0f} s, {moves:,} moves", flush=True)
    trained = given.out / "torch"
    export(policy, trained)
    node("packages/cli/src/main.ts", "examine", f"{trained}.onnx", f"{trained}.json", "--game", "snakes")
    if given.matches > 0:
        node("examples/train/gauntlet.ts", "--matches", given.matches, f"{trained}.onnx")


if __name__ == "__main__":
    main()
