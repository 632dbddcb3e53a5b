/**
 * Plays one match by watching a thread that plays it. A thread that is stuck, or ends before the match does,
 * is replaced by one that continues from the ledger, and the seat it was working for gets a strike.
 *
 *   start ──report──▶ done
 *     ├─ loading beyond 10 s ─────▶ the seat is lost: a strike in every turn, its model is not tried again
 *     ├─ a run beyond the deadline ▶ strike `timeout`, the seat's memory zeroed ─▶ start
 *     ├─ ended while loading, running ▶ lost, or strike `crash` and zeroed memory ─▶ start
 *     ├─ gave up (after a crash that it recorded itself) ─▶ start
 *     └─ it does not start, has no instance to give to a model, or the rules hang or throw ──▶ Unplayable: the machine's fault
 *
 * Deadlines are on the thread's processor time: a busy or sleeping machine causes no timeouts. Every restart
 * costs a strike or a seat, so a match has few of them.
 */

import type { BoardFile, Engine } from "@agon/engine/Engine.ts"
import { sha256Hex } from "@agon/engine/sha256.ts"
import { readManifest } from "../Manifest.ts"
import { share } from "../worker/Instance.ts"
import { RESERVE_US } from "./Account.ts"
import { Ledger, PHASE } from "./Ledger.ts"
import {
  AGAIN_FACTOR,
  FIRST_RUN_EXTRA_MS,
  LOAD_DEADLINE_MS,
  type MatchReport,
  type MatchRequest,
  type MatchSeat,
  MOVE_DEADLINE_MS
} from "./Match.ts"
import { type End, MatchThread } from "./MatchThread.ts"
import type { MatchWork } from "./Playing.ts"

/** The match cannot be played, and no seat is to blame. */
class Unplayable extends Error {}

const LOOK_EVERY_MS = 10
/** A thread that gets no processor time for this long beyond its phase's limit is given up. */
const STARVED_MS = 300_000
const RULES_DEADLINE_MS = 10_000

interface Stuck {
  readonly kind: "stuck"
}

const readBoard = (engine: Engine, file: unknown): BoardFile => {
  const check = engine.checkBoard(file)
  if (check.ok) return check.board
  throw new Unplayable(`The board is refused: ${check.errors.map(({ path, message }) => `${path} ${message}`).join("; ")}`)
}

const NO_MEMORY = { flat: 0, cell: 0 }

/** The match, and of each seat whether its manifest can be read. */
const workOf = (module: WebAssembly.Module, engine: Engine, request: MatchRequest, runtime_version: string) => {
  const board = readBoard(engine, request.board)
  const { planes, rows, cols, actions, seats, turn_limit } = engine.spec(board)
  if (request.seats.length !== seats)
    throw new Unplayable(`The board takes ${seats} seats, the match has ${request.seats.length}: each seat needs a model.`)
  const seatOf = ({ weights, manifest, memory_cap_bytes }: MatchSeat) => {
    const check = readManifest(manifest)
    const hashes = { weights_sha256: sha256Hex(weights), manifest_sha256: sha256Hex(manifest) }
    return {
      weights: share(weights),
      cap_bytes: memory_cap_bytes,
      sizes: { planes, rows, cols, actions, ...(check.ok ? check.manifest.memory : NO_MEMORY) },
      hashes,
      is_readable: check.ok
    }
  }
  const turns_max = Math.min(turn_limit, request.rules.max_turns)
  const { seats: _, ...rest } = request
  return { module, request: { ...rest, board }, turns_max, seats: request.seats.map(seatOf), runtime_version }
}

/**
 * Watches one thread of a match until it ends. The thread is stuck if it uses more processor time in a phase
 * than the phase allows, which is checked only after that much time on the clock. A thread that gets almost
 * no processor time is not stuck; the match then fails as the machine's fault.
 *
 * A stuck thread may get on before it is stopped, and then end anywhere: in another seat's run, or with a memory written
 * and no choice. So the ledger is set back to how it was when the thread was found stuck.
 */
export const live = async (
  thread: Pick<MatchThread, "cpu_us" | "play" | "stop">,
  work: MatchWork,
  ledger: Ledger,
  limit_ms: () => number
): Promise<End | Stuck> => {
  let [step, since_ms] = [ledger.step, performance.now()]
  let ended: "stuck" | "starved" | null = null
  let found: Uint8Array | null = null
  let asking = false
  const judge = async (seen: number, from_us: number) => {
    const cpu_us = await thread.cpu_us()
    asking = false
    const now = ledger.copy()
    // Within one step nothing changes but the memory of its seat, which is zeroed.
    if (ledger.step !== seen || ended !== null) return
    found = now
    if (cpu_us !== null && cpu_us - from_us > limit_ms() * 1_000) ended = "stuck"
    else if (performance.now() - since_ms > limit_ms() + STARVED_MS) ended = "starved"
    if (ended !== null) thread.stop()
  }
  const look = setInterval(() => {
    if (ledger.step !== step) [step, since_ms] = [ledger.step, performance.now()]
    else if (!asking && performance.now() - since_ms > limit_ms()) {
      asking = true
      void judge(step, ledger.entered_cpu_us)
    }
  }, LOOK_EVERY_MS)
  const end = await thread.play(work)
  clearInterval(look)
  if (ended === "starved" && end.kind === "ended") throw new Unplayable("The machine gave the match no processor time.")
  if (ended !== "stuck" || found === null || end.kind !== "ended") return end
  ledger.setBack(found)
  return { kind: "stuck" }
}

/**
 * Records the consequence of a thread's end for the seat it was working for; false if it was working for none. A
 * successor that ends before it has begun was working for none: nothing is left of the phase. `limit_ms`: a run that
 * was stuck was played for so long.
 */
export const settle = (ledger: Ledger, end: End | Stuck, limit_ms: number): boolean => {
  const { phase, seat } = ledger
  ledger.enter(PHASE.rules, 0, 0)
  const code = end.kind === "stuck" ? "timeout" : "crash"
  if (phase === PHASE.giving_up) return true
  if (phase === PHASE.loading) ledger.lose(seat, code)
  else if (phase === PHASE.run || phase === PHASE.first_run) {
    ledger.record(ledger.turn, seat, code)
    ledger.forget(seat)
    if (end.kind === "stuck") ledger.spend(limit_ms, limit_ms)
  } else return false
  return true
}

const whyOf = (end: End | Stuck): string =>
  end.kind === "ended" ? end.error : `Its thread used more than ${RULES_DEADLINE_MS / 1_000} s of processor time outside of the models.`

/** Limit on processor time for the thread's current phase. */
const limitOf = (ledger: Ledger, { move_deadline_ms = MOVE_DEADLINE_MS, timeouts }: MatchRequest): number => {
  const factor = timeouts === undefined ? 1 : AGAIN_FACTOR
  switch (ledger.phase) {
    case PHASE.loading:
      return factor * LOAD_DEADLINE_MS
    case PHASE.first_run:
      return factor * move_deadline_ms + FIRST_RUN_EXTRA_MS
    case PHASE.run:
      return factor * move_deadline_ms
    default:
      return RULES_DEADLINE_MS
  }
}

/** The thread that waits for the next match. A sandbox process plays one at a time, so there is one at most. */
let idle: MatchThread | null = null

const take = (): MatchThread => {
  const thread = idle?.fit ? idle : new MatchThread()
  if (thread !== idle) idle?.stop()
  idle = null
  return thread
}

const giveBack = (thread: MatchThread): void => {
  if (thread.fit) idle = thread
  else thread.stop()
}

export const play = async (
  module: WebAssembly.Module,
  engine: Engine,
  request: MatchRequest,
  runtime_version: string
): Promise<MatchReport> => {
  const prepared = workOf(module, engine, request, runtime_version)
  const ledger = new Ledger({ turns_max: prepared.turns_max, seats: prepared.seats.map(({ sizes }) => sizes) })
  const work: MatchWork = { ...prepared, ledger: ledger.buffer }
  for (const [seat, { is_readable }] of prepared.seats.entries()) {
    ledger.settle(seat, RESERVE_US)
    if (!is_readable) ledger.lose(seat, "crash") // as with weights that do not load: a review that is no honest one lets both pass
  }
  const lives_max = 1 + work.seats.length * (request.rules.strike_limit + 1)
  for (let life = 0; life < lives_max; life++) {
    const thread = take()
    const limit_ms = () => limitOf(ledger, request)
    const end = await live(thread, work, ledger, limit_ms)
    giveBack(thread)
    if (end.kind === "report") return end.report
    if (!settle(ledger, end, limit_ms())) throw new Unplayable(`The match of ${engine.slug} could not go on. ${whyOf(end)}`)
  }
  throw new Unplayable("The match was restarted more often than its strikes explain.")
}
