/**
 * Those who switch, plan, edit, revoke and close, from chance and from the rows they can
 * see; at times what cannot be.
 */
import type { Audit, AuditAction } from "@agon/domain/season/Audit.ts"
import type { Command } from "@agon/domain/season/Command.ts"
import { id } from "../../support/SeasonScript.ts"
import type { View } from "../View.ts"
import type { Chance } from "./Chance.ts"
import type { Numbers } from "./People.ts"
import { type Profile, SIZES } from "./Profile.ts"
import type { Run } from "./Run.ts"

export interface Administrators {
  readonly command: (rows: View, now: number, keys: ReadonlyArray<string>) => Command
  /** Actions that are open to them while the season is scheduled. */
  readonly beforehand: (rows: View) => Command
}

/** Models of baselines that there may be, numbered from 9001. */
const BASELINES_MAX = 4
const NOBODY = id("version", 0)
/** No inference takes no time. */
const TIMELESS = { infer_us_max: 0 }

const timeOf = (chance: Chance, now: number) => now + chance.between(-1_000, 120_000)

type Setting = Pick<Run, "exclusions" | "numbers">

export const make = (chance: Chance, profile: Profile, { exclusions = 0, numbers }: Setting): Administrators => {
  const audit = (action: AuditAction): { readonly audit: Audit } => ({
    audit: { id: id("audit", ++numbers.audits), actor: id("owner", 1), action, subject: "spring", detail: null }
  })
  const edit: Edit = (settings, scheduledOnly = false) => ({
    ...{ _tag: "EditSettings", settings, scheduledOnly },
    ...audit("season.edit")
  })
  const planning = (rows: View, now: number): Command => {
    const games = chance.between(1, 5)
    if (chance.in(0.65) || rows.rounds.length === 0) {
      const kind = profile.finals && chance.in(0.15) ? "finals" : "round"
      return { _tag: "PlanRound", kind, games, starts_at: timeOf(chance, now), ...audit("round.plan") }
    }
    const n = chance.in(0.15) ? 99 : chance.pick(rows.rounds).n
    if (chance.in(0.3)) return { _tag: "PatchRound", n, withdrawn: true, ...audit("round.patch") }
    return { _tag: "PatchRound", n, games, starts_at: timeOf(chance, now), ...audit("round.patch") }
  }
  /** Baselines are many where one wants to play. */
  const switching = (rows: View): Command => {
    const baselines = [...rows.versions.values()].filter(({ owner, status }) => owner === null && status !== "rejected")
    const unused = Array.from({ length: BASELINES_MAX }, (_, i) => id("model", 9001 + i)).find(
      (model) => ![...rows.versions.values()].some((version) => version.model === model)
    )
    if (unused !== undefined && chance.in(0.15)) return baseline(numbers, unused, chance.pick(SIZES), audit("baseline.record"))
    const version = chance.in(0.05) ? NOBODY : (baselines.length === 0 ? [...rows.versions.values()][0] : chance.pick(baselines))?.id
    return { _tag: "SwitchBaseline", version: version ?? NOBODY, enabled: chance.in(0.6), ...audit("baseline.switch") }
  }

  const boards = (rows: View): Command => {
    const x = chance.next()
    if (x < 0.12) {
      const board = chance.in(0.8) ? `b${rows.boards.size}` : chance.pick([...rows.boards.keys()])
      return { _tag: "AddBoard", board, players: chance.pick([2, 2, 3, 4]), rows: 11, cols: 11, file: {}, ...audit("board.add") }
    }
    const board = x < 0.15 ? "nowhere" : chance.pick([...rows.boards.keys()])
    return { _tag: "SwitchBoard", board, enabled: chance.in(0.65), ...audit("board.switch") }
  }

  const settings = (rows: View): Command => {
    const use = () => chance.pick(["both", "both", "both", "own", "platform"] as const)
    const x = chance.next()
    if (x < 0.25) return edit({ fleet: { matches: use() } })
    if (x < 0.5) return edit({ fleet: { admissions: use(), ...(chance.in(0.3) ? { matches: use() } : {}) } })
    if (x < 0.7) return edit({ fill: { enabled: chance.in(0.4) } })
    if (x < 0.9) return edit({ fill: { max_per_hour: chance.pick([null, 2, 10]) } })
    return editBeforehand(chance, rows, edit)
  }

  return {
    beforehand: (rows) => editBeforehand(chance, rows, edit),
    command: (rows, now, keys) => {
      const version = outOf(chance, rows)
      if (version !== undefined) return { _tag: "Reinstate", version, ...audit("version.reinstate") }
      if (rows.head.to_void.length > 0 && chance.in(0.5)) return { _tag: "EndVoids", version: chance.pick(rows.head.to_void) }
      const exclusion = exclusions > 0 ? exclusionOf(chance, rows, exclusions, audit) : undefined
      const x = chance.next()
      if (exclusion !== undefined) return exclusion
      if (x < 0.26) return boards(rows)
      if (x < 0.5) return switching(rows)
      if (x < 0.72) return planning(rows, now)
      if (x < 0.8) return { _tag: "RevokeKey", key: chance.pick(keys), ...audit("runner-key.revoke") }
      if (x < 0.985) return settings(rows)
      return { _tag: "CloseSeason", ...(x < 0.993 ? { checks: true } : {}), ...audit("season.close") }
    }
  }
}

type Edit = (settings: Extract<Command, { _tag: "EditSettings" }>["settings"], scheduledOnly?: boolean) => Command

const editBeforehand = (chance: Chance, { settings: { submissions_close_at, weight_classes } }: View, edit: Edit): Command => {
  const scale = chance.pick([1, 1, 2, 5])
  if (scale !== 1)
    return edit({ weight_classes: weight_classes.map((each, i) => ({ ...each, max_bytes: (2_000 / scale) * 4 ** i })) }, true)
  if (chance.in(0.3)) return edit({ submissions_close_at: submissions_close_at + chance.between(-60_000, 60_000) }, true)
  return edit({ rules: { cooldown_s: chance.pick([0, 30, 600]), ...(chance.in(0.2) ? TIMELESS : {}) } }, true)
}

/** Rarely, and whoever is removed soon comes back: somebody has to play. */
const exclusionOf = (
  chance: Chance,
  { versions }: View,
  share: number,
  audit: (action: AuditAction) => { readonly audit: Audit }
): Command | undefined => {
  const entries = [...versions.values()].filter(({ owner, status }) => owner !== null && status !== "superseded" && status !== "rejected")
  const removed = entries.filter(({ owner_removed }) => owner_removed)
  if (removed.length > 0 && chance.in(0.3)) {
    return { _tag: "SwitchOwner", owner: chance.pick(removed).owner!, removed: false, ...audit("participant.add") }
  }
  if (entries.length === 0 || chance.in(1 - share)) return undefined
  const { id: version, owner } = chance.pick(entries)
  if (chance.in(0.4)) return { _tag: "SwitchOwner", owner: owner!, removed: true, ...audit("participant.remove") }
  return {
    _tag: "Disqualify",
    version: chance.in(0.05) ? NOBODY : version,
    reason: "It broke the rules.",
    void_matches: chance.in(0.3),
    ...audit("version.disqualify")
  }
}

/** One that may play again, or at times nobody; none where nobody is suspended or disqualified. */
const outOf = (chance: Chance, { versions }: View): string | undefined => {
  const out = [...versions.values()].filter(({ disqualified, phase }) => disqualified || phase === "suspended")
  if (out.length === 0 || chance.in(0.5)) return undefined
  return chance.in(0.1) ? NOBODY : chance.pick(out).id
}

export const baseline = (numbers: Numbers, model: string, size: number, more: { readonly audit?: Audit } = {}): Command => {
  const v = ++numbers.versions
  const hashes = { weights_hash: `sha256:w${v}`, manifest_hash: `sha256:m${v}` }
  const files = { weights_bytes: size, manifest_bytes: 50 }
  const who = { version: id("version", v), model, owner: null, number: 1, note: null, eligible: true, retired: false }
  return { _tag: "SubmitVersion", ...who, ...hashes, files, ...more }
}
