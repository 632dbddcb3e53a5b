/**
 * The metrics of play. Counters and histograms are taken from each batch before its writes are
 * forgotten, in one step that costs about a microsecond; gauges of a season are read from its state at a
 * scrape, on the node where it lives.
 */
import type { Ending, FaultReason } from "@agon/domain/season/Reasons.ts"
import type { State } from "@agon/domain/season/State.ts"
import { Clock, Effect, Metric } from "effect"
import { byLabel } from "../metric/byLabel.ts"
import { readGauges } from "../metric/gauge.ts"
import type * as Mailbox from "./Mailbox.ts"
import type { SeasonName } from "./SeasonEvents.ts"

const MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 1_000, 5_000]
const SECONDS = [0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200]

const ENDINGS: ReadonlyArray<Ending> = ["rated", "finished", "cancelled", "failed"]
const FAULTS: ReadonlyArray<FaultReason> = ["runner_lost", "engine_fault", "weights_unavailable", "replay_mismatch"]

const endedBy = byLabel(
  "agon_matches_ended_total",
  "ending",
  "Matches that ended: rated, finished (without a rating), cancelled, failed",
  ENDINGS
)
const failedBy = byLabel(
  "agon_matches_failed_total",
  "reason",
  "Matches that ended without a result, by the reason of the last attempt",
  FAULTS
)
const triesBy = byLabel(
  "agon_match_attempts_failed_total",
  "reason",
  "Attempts at a match that came to nothing; runner_lost: leases that ran out",
  FAULTS
)
const movedBy = byLabel(
  "agon_versions_moved_total",
  "change",
  "Changes of a version: submitted, review, admitted, entered, rejected and others"
)
const rejectedBy = byLabel("agon_versions_rejected_total", "reason", "Rejected versions, by reason")
const played = Metric.histogram("agon_match_played_seconds", { description: "Time that a runner played a match", boundaries: SECONDS })
const open = Metric.histogram("agon_match_open_seconds", { description: "From a match's pairing to its result", boundaries: SECONDS })
const batches = Metric.histogram("agon_season_batch_asks", {
  description: "Callers answered by one commit",
  boundaries: [1, 2, 4, 8, 16, 32, 64, 128, 256]
})
const commits = Metric.histogram("agon_season_commit_ms", { description: "Time of a season's commit in the database", boundaries: MS })

const endOf = (state: State, count: (metric: Metric.Metric<number, unknown>, input: number) => void) => {
  for (const match of state.writes.ended) {
    count(endedBy(match.ending), 1)
    if (match.ending === "failed" && match.fault_reason !== null) count(failedBy(match.fault_reason), 1)
    if (match.played_ms !== null) {
      count(played, match.played_ms / 1_000)
      count(open, (match.ended_at - match.created_at) / 1_000)
    }
  }
}

/** Counts a batch once it is committed; `state.writes` and `state.events` are still those of the batch. */
export const counted = (state: State, { asks, commit_ms }: { readonly asks: number; readonly commit_ms: number }): Effect.Effect<void> =>
  Effect.withFiber(({ context }) => {
    const count = (metric: Metric.Metric<number, unknown>, input: number) => metric.updateUnsafe(input, context)
    if (asks > 0) count(batches, asks)
    count(commits, commit_ms)
    endOf(state, count)
    for (const reason of state.writes.failedTries) count(triesBy(reason), 1)
    for (const event of state.events) {
      if (event._tag !== "VersionMoved") continue
      count(movedBy(event.change), 1)
      if (event.reject_reason !== null) count(rejectedBy(event.reject_reason), 1)
    }
    return Effect.void
  })

const queuedIn = (state: State) => state.ladders.reduce((sum, { queue }) => sum + queue.length, state.trials.size)
const waitingReviews = (state: State) => [...state.reviews.values()].filter(({ until }) => until === null)
const oldestReview = (state: State, now: number) =>
  waitingReviews(state).reduce((first, { version }) => Math.min(first, state.versions_by_id.get(version)?.created_at ?? first), now)
const oldestLease = (state: State, now: number) => {
  let first = now
  for (const { leased_at } of state.live.values()) first = Math.min(first, leased_at ?? first)
  for (const { leased_at } of state.reviews.values()) first = Math.min(first, leased_at ?? first)
  return first
}

/** The series end with the season's stay on this node: seasons come and go for as long as a node runs. */
export const stayOf = (mailbox: Mailbox.Mailbox) => {
  const attributes = { season: mailbox.season }
  return readGauges([
    { name: "agon_season_here", description: "1 for each season that lives on this node", attributes, read: () => 1 },
    {
      name: "agon_season_starting",
      description: "1 for each season that lives on this node and is not played, since it starts, or fails to",
      attributes,
      read: () => (mailbox.state === "starting" ? 1 : 0)
    }
  ])
}

/**
 * Of a season that lives on this node. A season has some thousands of open matches at most,
 * and some hundreds of reviews. Ages go by the clock of whoever calls this: the state has the time of its last
 * step, and nothing is stepped while nobody asks.
 */
export const gaugesOf = (name: SeasonName, state: State, mailbox: Mailbox.Mailbox) => {
  const season = { game: name.game, slug: name.slug }
  const matches = (what: string, read: () => number) => ({
    name: "agon_season_matches",
    description: "Open matches of the season: queued, or leased to a runner",
    attributes: { ...season, state: what },
    read
  })
  const one = (figure: string, description: string, read: () => number) => ({
    name: `agon_season_${figure}`,
    description,
    attributes: season,
    read
  })
  const since = (clock: Clock.Clock, first: (state: State, now: number) => number) => () => {
    const now = clock.currentTimeMillisUnsafe()
    return (now - first(state, now)) / 1_000
  }
  return Clock.clockWith((clock) =>
    readGauges([
      matches("queued", () => queuedIn(state)),
      matches("leased", () => state.live.size - queuedIn(state)),
      one("entries", "Entries in play, baselines included", () => state.active),
      one("candidates", "Versions between submission and entry", () => state.testing),
      one("reviews_waiting", "Versions that wait for a runner to examine them", () => waitingReviews(state).length),
      one("review_oldest_seconds", "Age of the oldest version that waits to be examined", since(clock, oldestReview)),
      one("lease_oldest_seconds", "Age of the oldest lease that a runner holds, of a match or a review", since(clock, oldestLease)),
      one("mailbox", "Callers that wait for the season's answer", () => mailbox.held.size)
    ])
  )
}
