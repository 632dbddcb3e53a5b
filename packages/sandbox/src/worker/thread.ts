/**
 * The thread of one instance under examination: it instantiates the runtime under its memory cap, loads the model, says
 * so, and then answers requests until it is terminated. Observation, memory and logits lie in the channel.
 */
import { workerData } from "node:worker_threads"
import { Channel, STATUS, type Sizes } from "./channel.ts"
import { Desk, statusOf } from "./Desk.ts"
import { instantiate, Session } from "./Runtime.ts"

export interface InstanceWork {
  readonly module: WebAssembly.Module
  readonly weights: SharedArrayBuffer
  readonly cap_bytes: number
  readonly boards: ReadonlyArray<Sizes>
  readonly channel: SharedArrayBuffer
}

const serve = async (work: InstanceWork) => {
  const channel = new Channel(work.boards, work.channel)
  const desks = new Map<number, Desk>()
  let session: Session
  try {
    session = new Session(await instantiate(work.module, work.cap_bytes), new Uint8Array(work.weights))
  } catch (error) {
    const [status, detail] = statusOf(error)
    return channel.answer(status, 0, detail)
  }
  channel.answer(STATUS.ready, 0, "")
  for (;;) {
    channel.awaitRequest()
    try {
      const board = channel.board
      if (!desks.has(board)) desks.set(board, new Desk(session, work.boards[board]!, channel.boards[board]!))
      const desk = desks.get(board)!
      const status = desk.turn()
      channel.answer(status, desk.infer_ms * 1_000, "")
    } catch (error) {
      const [status, detail] = statusOf(error)
      channel.answer(status, 0, detail)
    }
  }
}

await serve(workerData as InstanceWork)
