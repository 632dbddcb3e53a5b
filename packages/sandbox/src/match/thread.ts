/**
 * The thread that plays matches: one at a time, as they come in, each answered with its report. What a match held is let go
 * before the next comes: its instances' memories are out of the collector's sight, so it is asked to look (a few
 * milliseconds; what stays alive in the thread is small).
 */
import { parentPort } from "node:worker_threads"
import { type MatchWork, Playing } from "./Playing.ts"

const play = async (work: MatchWork): Promise<void> => parentPort!.postMessage(await new Playing(work).play())

parentPort!.on("message", (work: MatchWork) => {
  void play(work).then(() => globalThis.gc?.())
})
