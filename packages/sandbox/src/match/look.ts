/**
 * The observations of the seats in one turn of a recorded match, and the answers of their models. The moves
 * are the record's; the models of which there are files run in every turn up to this one, so that their
 * memory is what it was in the match.
 *
 * It runs in the sandbox's main thread: a model that hangs is ended with the process, by the deadline.
 */
import type { Engine } from "@agon/engine/Engine.ts"
import { choicesAt } from "@agon/engine/replay/choicesAt.ts"
import type { Replay } from "@agon/engine/replay/Replay.ts"
import { readManifest } from "../Manifest.ts"
import { type Exchange, STATUS } from "../worker/channel.ts"
import { ModelIO, statusOf } from "../worker/ModelIO.ts"
import { instantiate, Session } from "../worker/Runtime.ts"
import type { MatchSeat } from "./Match.ts"
import { choose } from "./Playing.ts"

export interface LookRequest {
  /** It follows the rules. */
  readonly replay: Replay
  /** The place of its moves in the record: from 0, less than their number. */
  readonly turn: number
  /** Null for a seat whose files are not there. */
  readonly seats: ReadonlyArray<MatchSeat | null>
}

/** One seat that was to act. The arrays are row-major, and empty where there is nothing of the kind. */
export interface Look {
  readonly seat: number
  readonly observation: Float32Array
  readonly legal: Uint8Array
  /** Before the run. */
  readonly memoryFlat: Float32Array
  readonly memoryCell: Float32Array
  /**
   * Null without files, and where the model has no answer in this turn: its instance
   * failed, or the match has a timeout.
   */
  readonly logits: Float32Array | null
  /** The action of the logits, and the recorded one; null where that is a strike. */
  readonly chosen: number | null
  readonly recorded: number | null
}

export interface Looked {
  readonly planes: number
  readonly rows: number
  readonly cols: number
  readonly seats: ReadonlyArray<Look>
}

export const look = async (module: WebAssembly.Module, engine: Engine, { replay, seats, turn }: LookRequest): Promise<Looked> => {
  const { board, moves, rules, seed } = replay
  const spec = engine.spec(board)
  const runs = seats.map((seat, at) => new Run(module, engine, replay, at, seat))
  const state = engine.init(board, seed, rules)
  for (let now = 0; now < turn; now++) {
    for (const seat of engine.toAct(state)) await runs[seat]!.answer(state, now)
    engine.step(state, choicesAt(replay, now))
  }
  const looks: Array<Look> = []
  for (const seat of engine.toAct(state)) looks.push(await runs[seat]!.look(state, turn, moves[turn]![seat] ?? null))
  return { planes: spec.planes, rows: spec.rows, cols: spec.cols, seats: looks }
}

/** One seat's model on its way through the match. */
class Run {
  readonly #module: WebAssembly.Module
  readonly #engine: Engine
  readonly #seat: number
  readonly #model: MatchSeat | null
  readonly #timeouts: ReadonlySet<number>
  readonly #memory: { readonly flat: number; readonly cell: number }
  readonly #exchange: Exchange
  readonly #legal: Uint8Array
  readonly #board: Replay["board"]
  #io: ModelIO | null = null

  constructor(module: WebAssembly.Module, engine: Engine, { board, strikes }: Replay, seat: number, model: MatchSeat | null) {
    const { actions, cols, planes, rows } = engine.spec(board)
    const check = model === null ? undefined : readManifest(model.manifest)
    this.#module = module
    this.#engine = engine
    this.#board = board
    this.#seat = seat
    this.#model = model
    this.#timeouts = new Set(strikes.filter((one) => one.seat === seat && one.code === "timeout").map((one) => one.turn))
    this.#memory = check?.ok ? check.manifest.memory : { flat: 0, cell: 0 }
    this.#legal = new Uint8Array(actions)
    this.#exchange = {
      observation: new Float32Array(planes * rows * cols),
      logits: new Float32Array(actions),
      memoryFlat: new Float32Array(this.#memory.flat),
      memoryCell: new Float32Array(this.#memory.cell * rows * cols)
    }
  }

  /** Whether there are logits: runs the model as the match did, which asks none in a turn with a timeout. */
  async answer(state: unknown, turn: number): Promise<boolean> {
    this.#engine.observe(state, this.#seat, this.#exchange.observation)
    if (this.#model === null) return false
    if (this.#timeouts.has(turn)) {
      this.#forget()
      return false
    }
    // A machine that has no instance to give ends the look: it says nothing about the model.
    const ort = this.#io === null ? await instantiate(this.#module, this.#model.memory_cap_bytes) : null
    try {
      if (ort !== null) this.#io = this.#open(new Session(ort, this.#model.weights))
      return this.#io!.turn() === STATUS.answered
    } catch (error) {
      // An answer of another shape leaves the memory and the instance as they are; a crash ends both.
      if (statusOf(error)[0] !== STATUS.shape) this.#forget()
      return false
    }
  }

  async look(state: unknown, turn: number, recorded: number | null): Promise<Look> {
    const { logits, memoryCell, memoryFlat, observation } = this.#exchange
    const before = { memoryFlat: memoryFlat.slice(), memoryCell: memoryCell.slice() }
    const answered = await this.answer(state, turn)
    this.#engine.legal(state, this.#seat, this.#legal)
    const chosen = answered ? choose(logits, this.#legal) : null
    return { seat: this.#seat, observation, legal: this.#legal, ...before, logits: answered ? logits : null, chosen, recorded }
  }

  #open(session: Session): ModelIO {
    const { actions, cols, planes, rows } = this.#engine.spec(this.#board)
    return new ModelIO(session, { planes, rows, cols, actions, ...this.#memory }, this.#exchange)
  }

  /** As after a timeout or a crash in a match: no memory, and an instance of its own for the next turn. */
  #forget(): void {
    this.#exchange.memoryFlat.fill(0)
    this.#exchange.memoryCell.fill(0)
    this.#io = null
  }
}
