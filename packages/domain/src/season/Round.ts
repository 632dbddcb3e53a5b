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

/**
 * Whether a round would start before the season is live. The finals would then start with nobody in them: no version enters before
 * submissions open, and none once the finals have started.
 */
export const isBeforeOpening = ({ kind, starts_at }: Round, submissions_open_at: number): boolean =>
  kind === "finals" ? starts_at <= submissions_open_at : starts_at < submissions_open_at

/**
 * When a round starts: never while the season is scheduled, whatever was planned by an earlier release. Finals of that kind wait
 * until they are moved or withdrawn, since they would end the season with nobody in it.
 */
export const startOf = (round: Round, submissions_open_at: number): number => {
  if (!isBeforeOpening(round, submissions_open_at)) return round.starts_at
  return round.kind === "finals" ? Infinity : submissions_open_at
}

export const isFinals = (state: Rounds): boolean => currentRound(state)?.kind === "finals"
