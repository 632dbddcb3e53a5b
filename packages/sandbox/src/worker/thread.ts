/**
 * The thread of one seat in one match: it instantiates the runtime under its memory cap, loads the model, says so, and
 * then answers requests until it is terminated. It holds no game state; observation, memory and logits lie in the channel.
 */
import { workerData } from "node:worker_threads"
import { Channel, type Exchange, STATUS, type Sizes, type Status } from "./channel.ts"
import { Feed, instantiate, OrtFailure, type Port, Session, ShapeMismatch } from "./Runtime.ts"

export interface SeatWork {
  readonly module: WebAssembly.Module
  readonly weights: SharedArrayBuffer
  readonly cap_bytes: number
  readonly boards: ReadonlyArray<Sizes>
  readonly channel: SharedArrayBuffer
}

const feedOf = (session: Session, { planes, rows, cols, actions, flat, cell }: Sizes): Feed => {
  const inputs: Array<Port> = [{ name: "obs", dims: [1, planes, rows, cols] }]
  const outputs: Array<Port> = [{ name: "logits", dims: [1, actions] }]
  const add = (name: string, dims: ReadonlyArray<number>) => {
    inputs.push({ name, dims })
    outputs.push({ name: `${name}_out`, dims })
  }
  if (flat > 0) add("memory_flat", [1, flat])
  if (cell > 0) add("memory_cell", [1, cell, rows, cols])
  return new Feed(session, inputs, outputs)
}

/** One board's feed with the places its inputs come from and its outputs go to. */
class Desk {
  readonly #feed: Feed
  readonly #sources: ReadonlyArray<Float32Array>
  readonly #targets: ReadonlyArray<Float32Array>
  readonly #fresh: ReadonlyArray<Float32Array>

  constructor(session: Session, sizes: Sizes, { observation, logits, memoryFlat, memoryCell }: Exchange) {
    const memories = [memoryFlat, memoryCell].filter((memory) => memory.length > 0)
    this.#feed = feedOf(session, sizes)
    this.#sources = [observation, ...memories]
    this.#targets = [logits, ...memories]
    this.#fresh = this.#targets.map((target) => new Float32Array(target.length))
  }

  /** A turn's outputs are taken over only if all of them are finite; memory then stays what it was. */
  turn(): readonly [Status, number] {
    for (let i = 0; i < this.#sources.length; i++) this.#feed.input(i).set(this.#sources[i]!)
    const start_ms = performance.now()
    this.#feed.run((index, values) => this.#fresh[index]!.set(values))
    const infer_us = (performance.now() - start_ms) * 1_000
    if (!this.#fresh.every(allFinite)) return [STATUS.non_finite, infer_us]
    for (let i = 0; i < this.#targets.length; i++) this.#targets[i]!.set(this.#fresh[i]!)
    return [STATUS.answered, infer_us]
  }
}

const allFinite = (values: Float32Array) => {
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) return false
  return true
}

const verdictOf = (error: unknown): readonly [Status, string] => {
  if (error instanceof ShapeMismatch) return [STATUS.shape, error.message]
  if (error instanceof OrtFailure) return [error.exhausted ? STATUS.exhausted : STATUS.failed, error.message]
  return [error instanceof RangeError ? STATUS.exhausted : STATUS.failed, String(error)]
}

const serve = async (work: SeatWork) => {
  const channel = new Channel(work.boards, work.channel)
  const desks = new Map<number, Desk>()
  let session: Session
  try {
    session = new Session(await instantiate(work.module, work.cap_bytes), new Uint8Array(work.weights))
  } catch (error) {
    const [status, detail] = verdictOf(error)
    return channel.answer(status, 0, detail)
  }
  channel.answer(STATUS.ready, 0, "")
  for (;;) {
    channel.awaitRequest()
    try {
      const board = channel.board
      if (!desks.has(board)) desks.set(board, new Desk(session, work.boards[board]!, channel.boards[board]!))
      const [status, infer_us] = desks.get(board)!.turn()
      channel.answer(status, infer_us, "")
    } catch (error) {
      const [status, detail] = verdictOf(error)
      channel.answer(status, 0, detail)
    }
  }
}

await serve(workerData as SeatWork)
