/**
 * The thread of one instance under examination: it instantiates the runtime under its memory cap,
 * loads the model, says so, and then answers requests until it is terminated. Observation, memory
 * and logits lie in the channel.
 */
import { workerData } from "node:worker_threads"
import { Channel, type Sizes, STATUS } from "./channel.ts"
import { threadCpu_us } from "./cpuTime.ts"
import { ModelIO, statusOf } from "./ModelIO.ts"
import { poison } from "./poison.ts"
import { instantiate, type OrtModule, Session } from "./Runtime.ts"

export interface InstanceWork {
  readonly module: WebAssembly.Module
  readonly weights: SharedArrayBuffer
  readonly cap_bytes: number
  readonly boards: ReadonlyArray<Sizes>
  readonly channel: SharedArrayBuffer
  /** Whether tensors come from the runtime's arena, as in play. */
  readonly arena: boolean
  /** The seed that the free memory is filled with before the model is loaded. */
  readonly poison: number
}

const serve = async (work: InstanceWork) => {
  const channel = new Channel(work.boards, work.channel)
  const ios = new Map<number, ModelIO>()
  const fail = (error: unknown) => {
    const [status, detail] = statusOf(error)
    channel.answer(status, 0, threadCpu_us(), detail)
  }
  let ort: OrtModule
  let session: Session
  try {
    ort = await instantiate(work.module, work.cap_bytes)
  } catch (error) {
    return channel.answer(STATUS.machine, 0, threadCpu_us(), String(error))
  }
  try {
    poison(ort, work.poison)
    session = new Session(ort, new Uint8Array(work.weights), { arena: work.arena })
  } catch (error) {
    return fail(error)
  }
  channel.answer(STATUS.ready, 0, threadCpu_us(), "")
  for (;;) {
    channel.awaitRequest()
    try {
      const board = channel.board
      if (channel.poison !== 0) poison(ort, channel.poison)
      if (!ios.has(board)) ios.set(board, new ModelIO(session, work.boards[board]!, channel.boards[board]!))
      const io = ios.get(board)!
      const status = io.turn()
      channel.answer(status, io.infer_ms * 1_000, threadCpu_us(), status === STATUS.non_finite ? io.found : "")
    } catch (error) {
      fail(error)
    }
  }
}

await serve(workerData as InstanceWork)
