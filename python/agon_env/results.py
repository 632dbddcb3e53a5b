"""Ranks of matches (docs/games.md#turns-strikes-and-ranks)."""


def ranks_of(scores, forfeited):
    """[batch, seats]: 1 is best, equal scores share a rank (1, 2, 2, 4), forfeits come after all others."""
    higher = scores[:, None, :] > scores[:, :, None]
    same_side = forfeited[:, None, :] == forfeited[:, :, None]
    behind = forfeited[:, :, None] & ~forfeited[:, None, :]
    return ((higher & same_side) | behind).sum(axis=2) + 1
