"""Ranks and rewards of matches (docs/games.md#turns-strikes-and-ranks)."""


def ranks_of(scores, forfeited):
    """[batch, seats]: 1 is best, equal scores share a rank (1, 2, 2, 4), forfeits come after all others."""
    higher = scores[:, None, :] > scores[:, :, None]
    same_side = forfeited[:, None, :] == forfeited[:, :, None]
    behind = forfeited[:, :, None] & ~forfeited[:, None, :]
    return ((higher & same_side) | behind).sum(axis=2) + 1

def rewards_of(ranks):
    """From -1 to 1 for each seat, [batch, seats]: the share of rivals that rank behind it, less the share before it. They add up to 0."""
    behind = (ranks[:, None, :] > ranks[:, :, None]).sum(axis=2)
    before = (ranks[:, None, :] < ranks[:, :, None]).sum(axis=2)
    return (behind - before) / (ranks.shape[1] - 1)
