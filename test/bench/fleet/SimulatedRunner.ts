/**
 * A runner that says what the contract's runner says (docs/contract.md#runner-protocol) and plays by the
 * rules, with simple players instead of models: its replays and state hashes hold good, and audits of
 * its matches agree. As a real one does it asks for the next match with the result of the last. It
 * waits for as long as a real one plays. It repeats calls that were not answered, as a real one does, and
 * notes where a promise was broken.
 */
import { hash } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import type { HeartbeatAnswer, LeaseAnswer, MatchWork, RunnerSession, Work } from "@agon/api/runner/protocol.ts"
import { canonicalJson } from "@agon/engine/canonicalJson.ts"
import { played, toldOf } from "../../support/playedMatch.ts"
import { addressOf, keyOf, type Operation, secretOf, type Target, type Tempo } from "./messages.ts"
import { type Answer, ask } from "./wire.ts"

const WAIT_S = 30
/** In the place of the time until which a lease is kept. */
const LOST = 0
/** A runner asks again after this long, at first, and at most. */
const AGAIN_MS = 500
const AGAIN_MS_MAX = 5_000
const LOOK_EVERY_MS = 500
/** One of so many never waits for work, so that the time of a lease is measured without the wait. */
const IMPATIENT = 50
const IMPATIENT_EVERY_MS = 1_000

/** Shared by all runners of a process. */
export interface Crew {
  readonly target: Target
  readonly tempo: () => Tempo
  readonly stops: () => boolean
  readonly took: (operation: Operation, ms: number) => void
  readonly failed: (what: string) => void
  readonly accepted: (match: string) => void
  readonly broken: (what: string) => void
  waiting: number
  playing: number
}

export class SimulatedRunner {
  readonly #crew: Crew
  readonly #n: number
  readonly #headers: Readonly<Record<string, string>>
  #runner = ""
  #inline_bytes = 0
  #turn: number

  constructor(crew: Crew, n: number) {
    this.#crew = crew
    this.#n = n
    this.#turn = n
    this.#headers = { authorization: `Bearer ${secretOf(keyOf(n))}`, "content-type": "application/json" }
  }

  async run(): Promise<void> {
    const engines = [{ game: "snakes", engine_digest: this.#crew.target.engine_digest }]
    const about = { name: `fleet-${this.#n}`, runtime_version: "test", engines, accepts: ["match", "audit"], slots: 1 }
    const opened = await this.#answered("session", "/v1/runner/sessions", about)
    if (opened === undefined) return
    const { inline_replay_bytes = 0, runner }: RunnerSession = JSON.parse(opened.text)
    this.#inline_bytes = inline_replay_bytes
    this.#runner = runner
    const impatient = this.#n % IMPATIENT === 0
    let next: Work | undefined
    while (!this.#crew.stops() || next !== undefined) {
      const work: Work | undefined = next ?? (await this.#lease(impatient ? 0 : WAIT_S))
      next = undefined
      if (work?.kind === "match") next = await this.#play(work)
      else if (work?.kind === "audit") await this.#audit(work)
      else if (impatient) await pause(IMPATIENT_EVERY_MS)
    }
  }

  async #lease(wait_s: number): Promise<Work | undefined> {
    this.#crew.waiting++
    const began = performance.now()
    const { status, text } = await this.#post("/v1/runner/leases", { runner: this.#runner, max: 1, wait_s, holds: [] })
    this.#crew.waiting--
    if (status !== 200) {
      if (!this.#crew.stops()) {
        this.#crew.failed(`lease ${status} ${saidIn(text)}`)
        await pause(AGAIN_MS * (1 + (this.#n % 20))) // apart from each other, as runners draw
      }
      return undefined
    }
    const { leases }: LeaseAnswer = JSON.parse(text)
    const took_ms = performance.now() - began
    if (wait_s === 0) this.#crew.took("lease", took_ms)
    else if (leases.length === 0) this.#crew.took("empty", took_ms - wait_s * 1_000)
    return leases[0]
  }

  /** Answers the work that came with the answer to its result. */
  async #play(work: MatchWork): Promise<Work | undefined> {
    const crew = this.#crew
    crew.playing++
    let until = Date.parse(work.expires_at)
    let beaten = performance.now()
    let left_ms = crew.tempo().play_ms * (0.5 + (work.seed % 1_000) / 1_000)
    while (left_ms > 0 || !(crew.tempo().finish || crew.stops())) {
      const step_ms = Math.min(LOOK_EVERY_MS, Math.max(left_ms, 50))
      await pause(step_ms)
      left_ms -= step_ms
      if (crew.stops()) left_ms = 0
      else if (performance.now() - beaten >= crew.tempo().beat_ms) {
        beaten = performance.now()
        until = await this.#beat(work.lease, until)
        if (until === LOST) break
      }
    }
    const next = until === LOST ? undefined : await this.#report(work, until)
    crew.playing--
    return next
  }

  /** Until when the lease is kept: longer, as before where nobody answered, or LOST. */
  async #beat(lease: string, until: number): Promise<number> {
    const began = performance.now()
    const { status, text } = await this.#post("/v1/runner/heartbeat", { runner: this.#runner, leases: [lease] })
    if (status !== 200) {
      this.#crew.failed(`heartbeat ${status} ${saidIn(text)}`)
      return until
    }
    this.#crew.took("heartbeat", performance.now() - began)
    const [beat] = (JSON.parse(text) as HeartbeatAnswer).leases
    if (beat !== undefined && "expires_at" in beat) return Date.parse(beat.expires_at)
    this.#lost(`${lease} was said to be lost`, until)
    return LOST
  }

  #lost(what: string, until: number) {
    const left_ms = until - Date.now()
    if (left_ms <= 0) this.#crew.failed("a lease ran out, since no heartbeat was answered in time")
    else this.#crew.broken(`${what} ${left_ms} ms before it was to run out`)
  }

  async #report(work: MatchWork, until: number): Promise<Work | undefined> {
    const truth = played(work)
    const bytes = Buffer.from(canonicalJson(truth.replay))
    const named = { hash: `sha256:${hash("sha256", bytes)}`, bytes: bytes.length }
    const isInline = bytes.length <= this.#inline_bytes
    if (!isInline && (await this.#upload(work, bytes)) === undefined) return undefined
    const replay = isInline ? { ...named, inline: bytes.toString() } : named
    const results = [{ lease: work.lease, kind: "match", runtime_version: "test", played_ms: 1_000, ...toldOf(work, truth), replay }]
    const asking = { runner: this.#runner, max: this.#crew.stops() ? 0 : 1, wait_s: 0, holds: [], results }
    const answer = await this.#answered("result", "/v1/runner/leases", asking)
    if (answer === undefined) return undefined
    const { leases, results: receipts }: LeaseAnswer = JSON.parse(answer.text)
    const { accepted, reason } = receipts[0]!
    if (accepted) this.#crew.accepted(work.match_id)
    else if (reason === "lost") this.#lost(`the result of ${work.lease} was refused as lost`, until)
    else this.#crew.failed(`result refused: ${reason}`)
    return leases[0]
  }

  #upload({ replay_upload: { headers, method, url } }: MatchWork, body: Buffer) {
    const { pathname, search } = new URL(url)
    return this.#settled("upload", () => this.#ask({ method: method as "PUT", headers, body, path: pathname + search }))
  }

  async #audit(work: Extract<Work, { kind: "audit" }>) {
    const { replay } = played(work)
    await this.#answered("audit", `/v1/runner/leases/${work.lease}/result`, { kind: "audit", state_sha256: replay.state_sha256 })
  }

  #answered(operation: Operation, path: string, json: object) {
    return this.#settled(operation, () => this.#post(path, json))
  }

  /**
   * Says it until it is answered, and answers what was said; undefined where it was
   * refused, which breaks a promise.
   */
  async #settled(operation: Operation, once: () => Promise<Answer>): Promise<Answer | undefined> {
    for (let again_ms = AGAIN_MS; ; again_ms = Math.min(again_ms * 2, AGAIN_MS_MAX)) {
      const began = performance.now()
      const answer = await once()
      if (answer.status >= 200 && answer.status < 300) {
        this.#crew.took(operation, performance.now() - began)
        return answer
      }
      const what = `${operation} ${answer.status} ${saidIn(answer.text)}`
      this.#crew.failed(what)
      if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
        this.#crew.broken(`${what}: ${answer.text.slice(0, 300)}`)
        return undefined
      }
      await pause(again_ms * (0.5 + (this.#n % 100) / 100))
    }
  }

  #post(path: string, json: object) {
    return this.#ask({ method: "POST", path, headers: this.#headers, body: JSON.stringify(json) })
  }

  /** After a failure the next request goes to the next port. */
  async #ask(asked: {
    readonly method: "POST" | "PUT"
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: Buffer | string
  }) {
    const { ports } = this.#crew.target
    const answer = await ask({ ...asked, port: ports[this.#turn % ports.length]!, localAddress: addressOf(this.#n) })
    if (answer.status === 0 || answer.status === 503) this.#turn++
    return answer
  }
}

/** The sentence of a problem: `unavailable` alone would not say whether nginx, a node or the season was away. */
const saidIn = (text: string) => /"detail":"([^"]*)"/.exec(text)?.[1] ?? text.slice(0, 60)
