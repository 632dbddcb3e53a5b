/**
 * Plays one match: the rules, and all seats' models in turn, each in an instance of its own. All of its
 * progress is in the ledger, so its thread may be stopped at any moment and another continues.
 *
 * Seats are asked one after another. Handing over to another thread costs about as much as a small model's run, and a
 * machine that plays as many matches at once as it has cores gains nothing from running seats side by side.
 */
import type { Choice, Engine, StrikeCode } from "@agon/engine/Engine.ts"
import { engineOf } from "@agon/engine/registry.ts"
import { Recorder } from "@agon/engine/replay/Recorder.ts"
import { makeReplay, type ReplaySeat } from "@agon/engine/replay/Replay.ts"
import { type Sizes, STATUS, type Status } from "../worker/channel.ts"
import { Charges, threadCpu_us } from "../worker/cpuTime.ts"
import { ModelIO, statusOf } from "../worker/ModelIO.ts"
import { instantiate, Session } from "../worker/Runtime.ts"
import { charge } from "./Account.ts"
import { Ledger, PHASE } from "./Ledger.ts"
import type { MatchReport, MatchRequest } from "./Match.ts"

export interface MatchWork {
  readonly module: WebAssembly.Module
  readonly request: Omit<MatchRequest, "seats">
  readonly turns_max: number
  readonly seats: ReadonlyArray<{
    readonly weights: SharedArrayBuffer
    readonly cap_bytes: number
    readonly sizes: Sizes
    readonly hashes: ReplaySeat
  }>
  readonly runtime_version: string
  readonly ledger: SharedArrayBuffer
}

interface Player {
  readonly io: ModelIO
  readonly observation: Float32Array
  readonly logits: Float32Array
  readonly charges: Charges
  fresh: boolean
}

const CODES: Readonly<Record<Status, StrikeCode | null>> = {
  [STATUS.ready]: null,
  [STATUS.answered]: null,
  [STATUS.shape]: "shape",
  [STATUS.non_finite]: "non_finite",
  [STATUS.failed]: "crash",
  [STATUS.exhausted]: "crash",
  [STATUS.machine]: "crash"
}

export class Playing {
  readonly #work: MatchWork
  readonly #engine: Engine
  readonly #ledger: Ledger
  /** By turn, then seat. */
  readonly #timeouts = new Map<number, ReadonlySet<number>>()

  constructor(work: MatchWork) {
    this.#work = work
    this.#engine = engineOf(work.request.game)!
    this.#ledger = new Ledger({ turns_max: work.turns_max, seats: work.seats.map(({ sizes }) => sizes) }, work.ledger)
    for (const { turn, seat } of work.request.timeouts ?? []) this.#timeouts.set(turn, new Set([...(this.#timeouts.get(turn) ?? []), seat]))
  }

  /** Plays to the end, from the position in the ledger. Throws if the rules do, or the machine has no instance to give. */
  async play(): Promise<MatchReport> {
    const { board, seed, rules } = this.#work.request
    this.#ledger.enter(PHASE.rules, 0, threadCpu_us())
    const players: Array<Player | null> = []
    for (let seat = 0; seat < this.#work.seats.length; seat++) players.push(await this.#open(seat))
    const state = this.#engine.init(board as never, seed, rules)
    const recorder = new Recorder()
    recorder.begin(this.#engine, state)
    this.#playTurns(state, players, recorder)
    return this.#report(state, recorder)
  }

  /**
   * Null if the model does not load; the ledger records that for the rest of the match. The instance is made before the
   * model is looked at, so where the machine has no addresses or files left for it, this throws and no seat is to blame.
   */
  async #open(seat: number): Promise<Player | null> {
    const ledger = this.#ledger
    if (ledger.lost(seat) !== null) return null
    const { weights, cap_bytes, sizes } = this.#work.seats[seat]!
    const observation = new Float32Array(sizes.planes * sizes.rows * sizes.cols)
    const logits = new Float32Array(sizes.actions)
    const { flat: memoryFlat, cell: memoryCell } = ledger.memories[seat]!
    const ort = await instantiate(this.#work.module, cap_bytes)
    ledger.enter(PHASE.loading, seat, threadCpu_us())
    try {
      const session = new Session(ort, new Uint8Array(weights))
      const io = new ModelIO(session, sizes, { observation, logits, memoryFlat, memoryCell })
      return { io, observation, logits, charges: new Charges(), fresh: true }
    } catch {
      ledger.lose(seat, "crash")
      return null
    } finally {
      ledger.enter(PHASE.rules, 0, threadCpu_us())
    }
  }

  #playTurns(state: unknown, players: ReadonlyArray<Player | null>, recorder: Recorder): void {
    const [engine, ledger] = [this.#engine, this.#ledger]
    const { masked, actions } = engine.spec(this.#work.request.board as never)
    const legal = masked ? new Uint8Array(actions) : null
    const choices: Array<Choice> = players.map(() => null)
    for (let turn = 0; engine.status(state) === "running"; turn++) {
      const start_ms = performance.now()
      let asked = false
      choices.fill(null)
      ledger.begin(turn)
      for (const seat of engine.toAct(state)) {
        let choice = ledger.choice(turn, seat)
        if (choice === undefined) {
          asked = true
          choice = this.#ask(state, players[seat]!, turn, seat, legal)
          ledger.record(turn, seat, choice)
          if (choice === "crash" && players[seat] !== null) {
            ledger.forget(seat)
            giveUp(ledger)
          }
        }
        choices[seat] = choice
      }
      recorder.step(engine, state, choices)
      if (asked) ledger.spend(performance.now() - start_ms, 0)
    }
  }

  #ask(state: unknown, player: Player | null, turn: number, seat: number, legal: Uint8Array | null): number | StrikeCode {
    if (this.#timeouts.get(turn)?.has(seat)) {
      this.#ledger.forget(seat)
      return "timeout"
    }
    if (player === null) return this.#ledger.lost(seat) ?? "crash"
    this.#engine.observe(state, seat, player.observation)
    const strike = this.#run(player, seat)
    if (strike === "timeout") this.#ledger.forget(seat)
    if (strike !== null) return strike
    if (legal !== null) this.#engine.legal(state, seat, legal)
    return choose(player.logits, legal)
  }

  #run(player: Player, seat: number): StrikeCode | null {
    const ledger = this.#ledger
    const { fresh } = player
    const from_us = threadCpu_us()
    ledger.enter(fresh ? PHASE.first_run : PHASE.run, seat, from_us)
    try {
      const status = player.io.turn()
      ledger.spend(0, player.io.infer_ms)
      const code = CODES[status]
      if (code !== null || fresh) return code
      return this.#isOverdrawn(seat, player.charges.next(player.io.infer_ms * 1_000, threadCpu_us() - from_us)) ? "timeout" : null
    } catch (error) {
      return CODES[statusOf(error)[0]]
    } finally {
      ledger.enter(PHASE.rules, 0, threadCpu_us())
      player.fresh = false
    }
  }

  /** Charges a move if the season has a limit. A match that is played again takes its timeouts from the replay. */
  #isOverdrawn(seat: number, cost_us: number): boolean {
    const { infer_us_max, timeouts } = this.#work.request
    if (infer_us_max === undefined || timeouts !== undefined) return false
    const { account_us, struck } = charge(this.#ledger.account_us(seat), cost_us, infer_us_max)
    this.#ledger.settle(seat, account_us)
    return struck
  }

  #report(state: unknown, recorder: Recorder): MatchReport {
    const { request, seats, runtime_version } = this.#work
    const { board, seed, rules } = request
    const [engine, ledger] = [this.#engine, this.#ledger]
    const hashes = seats.map((seat) => seat.hashes)
    const replay = makeReplay({ engine, board: board as never, seed, rules, runtime_version, seats: hashes, recorder, state })
    const { reason, turns, scores, ranks, strikes } = engine.result(state)
    return {
      reason,
      turns,
      played_ms: ledger.played_ms,
      inferring_ms: ledger.inferring_ms,
      seats: scores.map((score, seat) => ({ seat, score, rank: ranks[seat]!, strikes: strikes[seat]! })),
      state_sha256: replay.state_sha256,
      replay
    }
  }
}

/** The best of the legal actions, the lowest index among equals. */
export const choose = (logits: Float32Array, legal: Uint8Array | null): number => {
  let best = -1
  for (let action = 0; action < logits.length; action++)
    if ((legal === null || legal[action] === 1) && (best < 0 || logits[action]! > logits[best]!)) best = action
  return best
}

/**
 * After a crash the instance may hold its whole memory cap and is in an unknown state. Its
 * memory is certainly freed only when the thread ends, so the thread ends and leaves the rest
 * of the match to its successor.
 */
const giveUp = (ledger: Ledger): never => {
  ledger.enter(PHASE.giving_up, 0, threadCpu_us())
  process.exit(0)
}
