/** Ranks of a finished match: forfeits after all others, then higher scores first; equals share a rank (1, 2, 2, 4). */
export const ranksOf = (scores: ReadonlyArray<number>, forfeited: ReadonlyArray<boolean>): ReadonlyArray<number> =>
  scores.map((score, seat) => {
    const out = forfeited[seat]!
    let better = 0
    for (let other = 0; other < scores.length; other++) {
      if (forfeited[other] === out ? scores[other]! > score : out) better++
    }
    return better + 1
  })
