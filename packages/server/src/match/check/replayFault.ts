/** Whether a stored replay confirms the report of its match: played again by the rules alone, without a model. */

import { canonicalJson } from "@agon/engine/canonicalJson.ts"
import { hexOf } from "@agon/engine/hash.ts"
import { parseReplay } from "@agon/engine/replay/parseReplay.ts"
import type { Replay } from "@agon/engine/replay/Replay.ts"
import { verify } from "@agon/engine/replay/verify.ts"

export interface Reported {
  readonly game: string
  readonly engine_digest: string
  readonly runtime_version: string | null
  readonly reason: string | null
  readonly turns: number | null
  readonly state_sha256: string | null
  readonly seed: number
  readonly board: unknown
  readonly rules: { readonly max_turns: number; readonly strike_limit: number }
  readonly seats: ReadonlyArray<{
    readonly weights_hash: string
    readonly manifest_hash: string
    /** 0 in a match that was voided meanwhile, whose ranks are not kept: they follow from scores and strikes, which are. */
    readonly rank: number
    readonly score: number
    readonly strikes: number
  }>
}

export interface Checked {
  /** The first contradiction, as a sentence; null where there is none. */
  readonly fault: string | null
  /** The seats with a timeout, where there is no contradiction. */
  readonly late: ReadonlyArray<number>
}

/** Never throws on a replay. */
export const checked = (reported: Reported, bytes: Uint8Array): Checked => {
  const parsed = parseReplay(bytes)
  if (!parsed.ok) return denied(sentence(parsed.problems[0]!))
  const verdict = verify(parsed.value)
  if (!verdict.ok) return denied(sentence(verdict.problems[0]!))
  const replay = parsed.value as Replay
  const { seats } = reported
  const isVoided = seats.every(({ rank }) => rank === 0)
  const facts: ReadonlyArray<readonly [name: string, told: unknown, found: unknown]> = [
    ["game", reported.game, replay.game],
    ["engine", reported.engine_digest, replay.engine_digest],
    ["runtime", reported.runtime_version, replay.runtime_version],
    ["rules", { max_turns: reported.rules.max_turns, strike_limit: reported.rules.strike_limit }, replay.rules],
    ["board", reported.board, replay.board],
    ["seed", reported.seed, replay.seed],
    ["weights", seats.map(({ weights_hash }) => hexOf(weights_hash)), replay.seats.map(({ weights_sha256 }) => weights_sha256)],
    ["manifests", seats.map(({ manifest_hash }) => hexOf(manifest_hash)), replay.seats.map(({ manifest_sha256 }) => manifest_sha256)],
    ["reason", reported.reason, verdict.reason],
    ["turns", reported.turns, verdict.turns],
    ["scores", seats.map(({ score }) => score), verdict.scores],
    ["ranks", isVoided ? verdict.ranks : seats.map(({ rank }) => rank), verdict.ranks],
    ["strikes", seats.map(({ strikes }) => strikes), verdict.strikes],
    ["last state", reported.state_sha256, verdict.state_sha256]
  ]
  for (const [name, told, found] of facts) {
    const [a, b] = [canonicalJson(told), canonicalJson(found)]
    if (a !== b) return denied(`The ${name} of the match: ${short(a)} by the report, ${short(b)} by its replay.`)
  }
  const late = replay.strikes.filter(({ code }) => code === "timeout").map(({ seat }) => seat)
  return { fault: null, late: [...new Set(late)] }
}

const denied = (fault: string): Checked => ({ fault, late: [] })

const SHOWN = 80
const short = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text)

const sentence = ({ message, path }: { readonly path: string; readonly message: string }): string =>
  path === "" ? `The replay ${message}.` : `The replay: ${path} ${message}.`
