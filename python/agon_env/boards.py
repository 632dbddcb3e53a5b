"""Boards: the ones that come with the games, and the reader of others (docs/games.md#snakes-boards, #othello-boards)."""

import json
import os

from .checking import check_othello, check_snakes

with open(os.path.join(os.path.dirname(__file__), "boards.json"), encoding="utf-8") as _file:
    BOARDS = {board["map_id"]: board for board in json.load(_file)}

FORMATS = {"snakes-board/1": check_snakes, "othello-board/1": check_othello}
OF_GAME = {"snakes": "snakes-board/1", "othello": "othello-board/1"}


class BoardRefused(ValueError):
    """`faults` is a list of pairs: the path in the file, and a sentence."""

    def __init__(self, faults):
        super().__init__("; ".join(f"{path or 'the board'} {message}" for path, message in faults))
        self.faults = faults


def check_board(game, file):
    """The board that a parsed file describes. Raises BoardRefused with every fault, in the words of the service."""
    board, faults = FORMATS[OF_GAME[game]](file)
    if faults:
        raise BoardRefused(faults)
    return board


def read_board(board, game):
    """A board from its map_id, from the path of its file, or from a parsed file."""
    if isinstance(board, (str, os.PathLike)):
        known = BOARDS.get(os.fspath(board))
        board = known if known is not None else _parsed(board)
    other = _other_game(board, game)
    if other is not None:
        raise BoardRefused([("format", f'must be "{OF_GAME[game]}", and "{OF_GAME[other]}" is that of {other} boards')])
    return check_board(game, board)


def _other_game(file, game):
    """The game that a file says it is a board of, where that is another one: its other faults would say nothing of it."""
    said = file.get("format") if isinstance(file, dict) else None
    return next((slug for slug, its in OF_GAME.items() if its == said and slug != game), None)


def _parsed(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError as error:
        raise BoardRefused([("", f"{os.fspath(path)!r} is no map_id and cannot be read: {error.strerror}")]) from None
    except ValueError:
        raise BoardRefused([("", f"{os.fspath(path)!r} is not JSON")]) from None
