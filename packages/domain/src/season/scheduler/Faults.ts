/**
 * Failed attempts at a match, and suspension of the entries that cause them (docs/contract.md#suspension).
 *
 *   attempt fails (lease lost, runner reports a fault) ──▶ queued again, elsewhere ──third──▶ match failed ──▶ blame
 *                                └──there is nobody else (Results.ts)──────────────────────────┘
 *   blame: five failed matches running that only this entry can explain ──▶ suspended ──Reinstate, a new version──▶ plays
 *
 * An entry is blamed for failed ladder matches that nobody else can have caused: if runners name it (its
 * weights cannot be fetched), or if no other version and no other owner sat in all of them. One match of the
 * entry that is played to its end clears it. Two things must not suspend an honest entry:
 *
 * - A failing fleet. While no match of the season ends well, only entries that sat in all the failed ones are blamed, and those
 *   that runners name while they name few: two entries whose weights are lost may be all that finals still have to play. If
 *   they are half of the entries or more than NAMED_MAX, the others are not suspended; finals end after a day of it where at
 *   most half of the entries are owed matches, and else wait (clock/Rounds.ts).
 * - A lying or a broken runner. Keys that have brought results within a day are heard, and two of them must each have failed at least two
 *   of the five; a key that reports a fault leaves the match to others for as long as a lease, and an honest key that plays it clears
 *   the entry. With one key there is no second source. An `engine_fault` is the machine's, and so is a result that
 *   its replay contradicts: they blame nobody.
 *
 * Trials blame nobody: a candidate that kills runners would take its opponents with it.
 */
import { tell } from "../entry/Versions.ts"
import type { Failing } from "../Head.ts"
import { heardKeys, noteResult } from "../key/HeardKeys.ts"
import { pauseRatings } from "../rating/LadderEntries.ts"
import type { State } from "../State.ts"
import { ownerOf, type Version } from "../Version.ts"
import type { OpenMatch } from "./Match.ts"
import { leftUntil } from "./Tries.ts"

/** An entry is suspended after this many consecutive matches failed through its own fault. */
export const FAULTS_RUNNING = 5
/** A second key, if there is one, must have failed this many of them. */
const SECOND_KEY_FAULTS = 2
const DAY_MS = 86_400_000
const KEYS_MAX = 16
/** While no match ends well, fewer than half of the entries, and at most this many, may be blamed by name. */
const NAMED_MAX = 16

/** How long, and in how many failed matches, those of finals are tried in vain before the finals end. */
const IN_VAIN_MS = DAY_MS
const IN_VAIN_MATCHES = 20

/** Whether for a day every match that ended has failed. */
export const isInVain = ({ failing, now, played }: State): boolean =>
  failing?.played === played && (failing.n ?? 0) >= IN_VAIN_MATCHES && now >= (failing.since ?? now) + IN_VAIN_MS

/** Whether this key may take a queued match now: a match that it reported unplayable is left to others first. */
export const mayTake = ({ now }: State, { tries }: OpenMatch, key: string): boolean =>
  !tries.some((each) => each.key === key && each.reason !== "runner_lost" && now < leftUntil(each))

/** Whether the last lease was answered by a fault report: another answer to it is a repeat. */
export const isAnswered = ({ lease_n, tries }: OpenMatch): boolean => {
  const last = tries.at(-1)
  return last !== undefined && last.n === lease_n && last.reason !== "runner_lost"
}

/** This key played a match to its end: the entries in it are playable. */
export const clear = (state: State, { versions }: OpenMatch, key: string): void => {
  state.played++
  for (const id of versions) {
    const version = state.versions_by_id.get(id)
    if (version === undefined || version.streak === null) continue
    version.streak = null
    state.writes.versions.add(id)
  }
  noteResult(state, key)
}

/**
 * The entries that may have caused a match to fail: the one that runners name, if they
 * name one, or all that sat in it.
 */
export const suspectsOf = ({ tries, versions }: OpenMatch): ReadonlyArray<string> => {
  const named = new Set(tries.flatMap(({ version }) => version ?? []))
  return named.size === 1 ? [...named] : versions
}

/** Records that one of the suspects caused a match to fail. */
export const blame = (state: State, match: OpenMatch, suspects: ReadonlyArray<string>): void => {
  if (match.tries.some(({ reason }) => reason === "engine_fault")) return excuse(state, match)
  if (match.ladder === null) return
  const { common, named } = failing(state, suspects)
  const isNamed = suspects.length === 1 && named.length <= NAMED_MAX && named.length * 2 < state.active
  const keys = [...new Set(match.tries.map(({ key }) => key))]
  for (const id of suspects) {
    const version = state.versions_by_id.get(id)
    if (version?.status !== "entered" || version.phase !== null) continue
    const streak = blamed(version)
    if (streak !== null && streak.played === state.played && !common.includes(id) && !isNamed) continue
    accuse(state, version, suspects, keys)
    if (isGuilty(state, version)) suspend(state, version)
  }
}

/** A match that failed through a machine, or whose result its replay contradicts, blames nobody; it was tried in vain all the same. */
export const excuse = (state: State, match: OpenMatch): void => {
  if (match.ladder === null) return
  failing(state, null)
  doubt(state, match)
}

/** Adds a failed match to those since the last result; `suspects` is null where no entry can have caused it. */
const failing = (state: State, suspects: ReadonlyArray<string> | null) => {
  const run: Omit<Failing, "played"> = state.failing?.played === state.played ? state.failing : { common: null, named: [] }
  const common = suspects === null ? run.common : (run.common ?? suspects).filter((id) => suspects.includes(id))
  const named = [...new Set([...(run.named ?? []), ...(suspects?.length === 1 ? suspects : [])])].slice(0, NAMED_MAX + 1)
  state.failing = { played: state.played, common, named, since: run.since ?? state.now, n: (run.n ?? 0) + 1 }
  return { common: common ?? [], named }
}

/** None of its entries is paired as one whose matches are played. */
const doubt = (state: State, { versions }: OpenMatch): void => {
  for (const id of versions) {
    const version = state.versions_by_id.get(id)
    if (version?.status !== "entered" || version.phase !== null || version.streak !== null) continue
    version.streak = { n: 0, versions: [], owners: [], keys: [], played: state.played }
    state.writes.versions.add(id)
  }
}

/** The failed matches that may be its own fault. */
const blamed = ({ streak }: Version): Version["streak"] => (streak !== null && streak.n > 0 ? streak : null)

const accuse = (state: State, version: Version, suspects: ReadonlyArray<string>, keys: ReadonlyArray<string>): void => {
  const streak = blamed(version)
  const owners = suspects.map((id) => ownerOf(state, id))
  const counts = new Map(streak?.keys.map(({ key, n }) => [key, n]))
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  version.streak = {
    n: (streak?.n ?? 0) + 1,
    versions: (streak?.versions ?? suspects).filter((id) => suspects.includes(id)),
    owners: [...new Set(streak?.owners ?? owners)].filter((owner) => owners.includes(owner)),
    keys: [...counts].map(([key, n]) => ({ key, n })).slice(0, KEYS_MAX),
    played: state.played
  }
  state.writes.versions.add(version.id)
}

const isGuilty = (state: State, { streak }: Version): boolean => {
  if (streak === null || streak.n < FAULTS_RUNNING || streak.versions.length > 1 || streak.owners.length > 1) return false
  const heard = heardKeys(state)
  const failed = streak.keys.filter(({ n }) => n >= SECOND_KEY_FAULTS).map(({ key }) => key)
  if (heard.length === 0) return streak.keys.length < 2 || failed.length > 1
  return failed.filter((key) => heard.includes(key)).length >= Math.min(2, heard.length)
}

const suspend = (state: State, version: Version): void => {
  version.phase = "suspended"
  pauseRatings(state, version)
  state.writes.versions.add(version.id)
  tell(state, version, "suspended")
  state.recheckQueue = true
}
