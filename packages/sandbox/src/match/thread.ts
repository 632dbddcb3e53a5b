/**
 * The thread that plays matches: one at a time, as they come in, each answered with its report. The memory of
 * a match is freed before the next one: the garbage collector does not count the instances' memories, so it
 * is started explicitly (a few milliseconds, since little stays alive in the thread).
 */
import { parentPort } from "node:worker_threads"
import { type MatchWork, Playing } from "./Playing.ts"

const play = async (work: MatchWork): Promise<void> => parentPort!.postMessage(await new Playing(work).play())

parentPort!.on("message", (work: MatchWork) => {
  void play(work).then(() => globalThis.gc?.())
})
