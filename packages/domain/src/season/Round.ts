/** The rounds of a season, and which of them is played and which comes next. */
export interface Round {
  readonly n: number
  readonly kind: "round" | "finals"
  games: number
  starts_at: number
  started_at: number | null
  ended_at: number | null
  withdrawn: boolean
}

interface Rounds {
  readonly round: number // the one that is played; 0: continuous play
  readonly rounds: ReadonlyArray<Round>
}

/** The round that is played; undefined in continuous play. */
export const currentRound = ({ round, rounds }: Rounds): Round | undefined => rounds.find(({ n }) => n === round)

/** The next round that starts, where one is planned. */
export const pendingRound = ({ rounds }: Pick<Rounds, "rounds">): Round | undefined =>
  rounds.find(({ started_at, withdrawn }) => started_at === null && !withdrawn)

export const isFinals = (state: Rounds): boolean => currentRound(state)?.kind === "finals"
