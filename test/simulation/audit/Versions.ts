/**
 * A version's life: from upload to its end, by the arrows that
 * docs/contract.md#states-of-a-version draws and no others.
 */
import type { Ended } from "@agon/domain/season/scheduler/Match.ts"
import type { Version } from "@agon/domain/season/Version.ts"
import { must } from "./Promise.ts"
import type { Window } from "./Window.ts"

interface Trial {
  played: number
  failed: number
  lost: number
}
export interface Versions {
  readonly check: (window: Window) => void
}

const NEXT: Readonly<Record<string, ReadonlyArray<string>>> = {
  none: ["upload", "review", "rejected"],
  upload: ["review", "rejected"],
  review: ["trial", "rejected", "disabled"],
  trial: ["entered", "rejected", "disqualified"],
  entered: ["suspended", "superseded", "disabled", "disqualified"],
  suspended: ["entered", "superseded", "disabled", "disqualified"],
  disqualified: ["entered", "superseded", "rejected"],
  disabled: ["entered"],
  superseded: [],
  rejected: []
}
/** The reasons of those whose trials ended badly: their own fault, and that of others. */
const OF_TRIALS: ReadonlyArray<string | null> = ["trial_failed", "admission_unavailable"]
const COUNTED = ["testing", "entered", "superseded", "disqualified"]
const TRIALS_LOST_MAX = 5
const REVIEWS_FAILED_MAX = 5

const stageOf = (version: Version | undefined): string => version?.phase ?? version?.status ?? "none"

export const make = (): Versions => {
  const trials = new Map<string, Trial>()
  return {
    check: (window) => {
      const { before, now } = window
      const [playedFinals, finals] = [before, now].map(({ rounds }) =>
        rounds.some(({ kind, started_at }) => kind === "finals" && started_at !== null)
      )
      countTrials(window, trials)
      checkHead(window)
      checkHolders(window)
      for (const version of now.versions.values()) {
        const was = before.versions.get(version.id)
        if (was !== undefined) checkUpload(window, was, version)
        if (was === version) continue
        const [from, to] = [stageOf(was), stageOf(version)]
        const lives = from === to || NEXT[from]!.includes(to) || (from === "review" && to === "entered" && isSwitchedOn(window, version))
        must(lives, "a version lives by its diagram", from, to, version)
        must(version.owner === null || to !== "disabled", "only baselines are switched off", version)
        if (version.status === "testing") must(!finals && now.head.phase === "open", "no version is tried in the finals", version)
        checkFields(version, now.head.now)
        const trial = trials.get(version.id) ?? { played: 0, failed: 0, lost: 0 }
        if (to === "trial" || to === "entered") checkJudged(window, version)
        if (from === "rejected") checkStillRejected(was!, version, trial)
        if (from === to) continue
        const isNew = !before.ratings.has(`open ${version.id}`)
        if (from === "disqualified" && to === "rejected") must(isNew, "who has played is not rejected", version)
        if (to === "entered" && isNew) must(!playedFinals, "no version enters the finals", version)
        if (from === "disabled") must(!playedFinals && before.head.phase === "open", "no baseline joins the finals", version)
        if (to === "entered" && from !== "suspended") checkEntered(window, version, was, trial)
        if (to === "rejected") checkRejected(window, version, trial)
      }
      for (const version of now.versions.values()) if (version.phase === "trial") checkTrial(window, version, trials.get(version.id))
    }
  }
}

/** An upload has the time that it was given, in which the season is there. */
const checkUpload = ({ away_ms, now }: Window, was: Version, version: Version): void => {
  if (was.upload_until === null) return
  const due = was.upload_until + away_ms
  if (version.upload_until !== null)
    must(version.upload_until === due, "an upload's window is as long as the season is there", version, due)
  if (version.reject_reason === "upload_expired") must(due <= now.head.now, "an upload has its time", version, due)
}

/** A baseline may be admitted and switched on in one commit. */
const isSwitchedOn = ({ recent }: Window, { id, owner }: Version): boolean =>
  owner === null && recent.some((command) => command._tag === "SwitchBaseline" && command.version === id && command.enabled)

const countTrials = ({ before, log, now, voided }: Window, trials: Map<string, Trial>): void => {
  const limit = now.settings.rules.match.strike_limit
  const forfeited = ({ candidate, seats }: Ended) => seats.some(({ strikes, version }) => version === candidate && strikes >= limit)
  for (const { candidate, id } of voided) {
    const [was, is] = [before, now].map(({ versions }) => versions.get(candidate ?? ""))
    if (was === undefined || is === undefined || was.status === "entered") continue
    if (is.phase !== "trial" && !OF_TRIALS.includes(is.reject_reason)) continue // it has entered, and no void can undo that
    const trial = trials.get(is.id)!
    trial.lost++
    trial.played--
    if (forfeited(log.get(id)!)) trial.failed--
  }
  for (const match of now.ended) {
    if (match.candidate === null) continue
    must(match.ladder === null && match.rated_n === null, "a trial moves no ladder", match)
    const trial = trials.get(match.candidate) ?? { played: 0, failed: 0, lost: 0 }
    trials.set(match.candidate, trial)
    if (match.ending === "failed") trial.lost++
    if (match.ending !== "finished") continue
    trial.played++
    if (forfeited(match)) trial.failed++
  }
}

const checkHead = ({ now: { head, versions } }: Window): void => {
  let [testing, entered] = [0, 0]
  for (const { status } of versions.values()) {
    if (status === "testing") testing++
    else if (status === "entered") entered++
  }
  must(head.versions === versions.size, "every version has its number", head)
  must(head.testing === testing && head.active === entered, "candidates and entries are counted", head)
}

/** Caps, one candidate an owner, one entry a model, one owner of the same weights. */
const checkHolders = ({ before, now }: Window): void => {
  if (before.versions === now.versions) return
  const { rules } = now.settings
  const models = new Map<string, Set<string>>()
  const [held, testing, entered, weights] = [new Map<string, number>(), new Set<string>(), new Set<string>(), new Map<string, string>()]
  for (const { id, model, owner, status, weights_hash } of now.versions.values()) {
    if (status === "entered") {
      must(!entered.has(model), "a model has one entry", id)
      entered.add(model)
    }
    if (owner === null || !COUNTED.includes(status)) continue
    must((weights.get(weights_hash) ?? model) === model, "weights are entered once", id)
    weights.set(weights_hash, model)
    models.set(owner, (models.get(owner) ?? new Set()).add(model))
    held.set(model, (held.get(model) ?? 0) + 1)
    must(models.get(owner)!.size <= rules.max_models_per_owner, "caps hold", owner)
    must(held.get(model)! <= rules.max_versions_per_model, "caps hold", model)
    if (status !== "testing") continue
    must(!testing.has(owner), "an owner has one candidate", owner)
    testing.add(owner)
  }
  const out = new Set([...now.versions.values()].filter(({ status }) => status === "disqualified").map(({ model }) => model))
  for (const { model, owner, status } of before.versions.values())
    if (status === "entered" && owner !== null) must(entered.has(model) || out.has(model), "superseding is one with entering", model)
}

const checkFields = (version: Version, now: number): void => {
  const { phase, reject_detail, reject_reason, status, successor, upload_until } = version
  must((status === "testing") === (phase !== null && phase !== "suspended"), "a phase is a candidate's", version)
  must(phase !== "suspended" || status === "entered", "who is suspended stays in contention", version)
  must((upload_until !== null) === (phase === "upload"), "an upload window is an upload's", version)
  must((status === "rejected") === (reject_reason !== null), "a rejection says why", version)
  const { disqualified, owner_removed } = version
  const out = status === "disqualified"
  must((out || status === "rejected") === (reject_detail !== null), "a rejection says why, and a disqualification", version)
  must(out ? disqualified || owner_removed : !disqualified, "only what is disqualified is out", version)
  must(status !== "entered" || !owner_removed, "who left plays no more", version)
  must((status === "superseded") === (successor !== null), "who was superseded names the successor", version)
  must(version.admit_failures <= version.admit_attempt, "an attempt at a review fails once", version)
  must(upload_until === null || upload_until > now, "an upload window ends", version)
}

/** Whoever passed the review is within the season's rules. */
const checkJudged = ({ now }: Window, version: Version): void => {
  const { rules, weight_classes } = now.settings
  const size = version.weights_bytes! + version.manifest_bytes!
  const fits = weight_classes.filter(({ max_bytes }) => max_bytes >= size)
  must(version.class !== null && fits[0]?.class === version.class, "its class is the smallest that holds it", version)
  must(version.infer_us! <= rules.infer_us_max, "too slow is not admitted", version)
}

const checkEntered = ({ before, now }: Window, version: Version, was: Version | undefined, trial: Trial): void => {
  for (const ladder of [version.class!, "open"])
    must(now.ratings.get(`${ladder} ${version.id}`)?.active === true, "who enters is on its ladders", version)
  if (version.owner === null) return
  must(trial.played >= now.settings.rules.trial.matches && trial.failed === 0, "who enters has passed the trial", version, trial, was)
  for (const old of before.versions.values()) {
    if (old.model !== version.model || old.status !== "entered") continue
    const { status, successor } = now.versions.get(old.id)!
    if (status === "disqualified") continue
    must(status === "superseded" && successor === version.number, "superseding is one with entering", old, version)
    for (const ladder of [old.class!, "open"])
      must(now.ratings.get(`${ladder} ${old.id}`)?.active === false, "who is superseded is off its ladders", old)
  }
}

/** Nothing but voids changes who was rejected, and they clear whom no failed trial is left against. */
const checkStillRejected = (was: Version, version: Version, { failed }: Trial): void => {
  const cleared = was.reject_reason === "trial_failed" && failed === 0
  const reason = cleared ? "admission_unavailable" : was.reject_reason
  must(version.reject_reason === reason, "a candidate stays rejected for what still holds", was, version, failed)
}

const checkRejected = ({ before, now, recent, voided }: Window, version: Version, { failed, lost, played }: Trial): void => {
  const finals = now.rounds.some(({ kind, started_at }) => kind === "finals" && started_at !== null)
  const doubted = before.reviews.get(version.id)?.opinions.some(({ verdict }) => verdict.verdict === "rejected") === true
  const told = recent.some(
    (command) =>
      (command._tag === "ReportAdmission" && command.lease.startsWith(version.id) && command.verdict.verdict === "rejected") ||
      (command._tag === "RejectFiles" && command.version === version.id)
  )
  const reason = version.reject_reason!
  const undone = voided.filter(({ candidate }) => candidate === version.id).length
  const size = (version.weights_bytes ?? 0) + (version.manifest_bytes ?? 0)
  const holds: Partial<Record<string, boolean>> = {
    trial_failed: failed > 0 && played + undone >= now.settings.rules.trial.matches,
    admission_unavailable: version.admit_failures >= REVIEWS_FAILED_MAX || lost >= TRIALS_LOST_MAX || (undone > 0 && failed === 0),
    upload_expired: version.weights_bytes === null && now.head.now >= version.created_at + now.settings.rules.upload_window_s * 1_000,
    season_closed: finals || now.head.phase !== "open",
    too_large: size > now.settings.weight_classes.at(-1)!.max_bytes,
    too_slow: (version.infer_us ?? 0) > now.settings.rules.infer_us_max,
    memory_over_class: (version.memory_cell ?? 0) > 0
  }
  must(told || doubted || holds[reason] === true, "a candidate is rejected for a reason that holds", version, { failed, lost, played })
  for (const match of now.live.values())
    if (match.candidate === version.id) must(match.until !== null, "no trial waits for who was rejected", match)
}

/** A trial waits for nothing but runners: its missing matches are queued, and a deciding one has decided it. */
const checkTrial = (window: Window, version: Version, trial: Trial = { played: 0, failed: 0, lost: 0 }): void => {
  const { now } = window
  const wanted = now.settings.rules.trial.matches
  const open = [...now.live.values()].filter(({ candidate }) => candidate === version.id)
  must(
    version.trial_played === trial.played && version.trial_failed === trial.failed && version.trial_void === trial.lost,
    "trials are counted",
    version,
    trial
  )
  must(trial.played + open.length <= wanted, "a trial has as many matches as the rules say", version, open.length)
  for (const match of window.created) {
    if (match.ladder !== null) continue
    const strangers = match.versions.filter(
      (id) => now.versions.get(id)!.phase === "trial" && window.before.versions.get(id)?.status !== "entered"
    )
    must(strangers.length > 0 && new Set(strangers).size === 1, "a trial seats its candidate among entries", match)
  }
  const boards = [...now.boards.values()].some(({ enabled }) => enabled)
  if (trial.lost >= TRIALS_LOST_MAX) return must(open.length > 0, "a trial that runners cannot play is given up", version)
  if (boards) must(trial.played + open.length === wanted && open.length > 0, "a trial goes on", version, trial, open.length)
}
