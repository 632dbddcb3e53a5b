"""Agon's games for training: rules, randomness and observations as in docs/games.md, bit for bit.

Many boards at once: `SnakesBatch`, `OthelloBatch`. One match behind the usual interfaces: `SnakesEnv` (PettingZoo's parallel
interface) and `OthelloEnv` (its AEC interface). Boards: `BOARDS`, `read_board`, `check_board`.
"""

from .boards import BOARDS, BoardRefused, check_board, read_board
from .canonical import canonical_json, canonical_sha256
from .othello import OthelloBatch
from .othello_env import OthelloEnv
from .snakes import SnakesBatch
from .snakes_env import SnakesEnv

__all__ = [
    "BOARDS",
    "BoardRefused",
    "OthelloBatch",
    "OthelloEnv",
    "SnakesBatch",
    "SnakesEnv",
    "canonical_json",
    "canonical_sha256",
    "check_board",
    "read_board",
]
