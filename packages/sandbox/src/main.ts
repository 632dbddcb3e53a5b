/**
 * The sandbox's process. Its parent sends one job at a time over the channel that came with it and gets one
 * answer. It runs without network and environment where `isolation.ts` could arrange that, and holds nothing
 * worth stealing: the job's weights, boards and seeds.
 *
 *   started ──compile──▶ "ready" ──job──▶ answer ──job──▶ answer … until the parent disconnects or kills it
 */
import { readFile } from "node:fs/promises"
import { engineOf } from "@agon/engine/registry.ts"
import { examineFiles } from "./admission/static.ts"
import { examineRuns } from "./admission/trial.ts"
import { type Looked, type LookRequest, look } from "./match/look.ts"
import type { MatchReport, MatchRequest } from "./match/Match.ts"
import { play } from "./match/play.ts"
import { wasmPath } from "./places.ts"
import type { ExamineRequest, Verdict } from "./Verdict.ts"

const SAID_MAX_CHARACTERS = 2_000

export type Job =
  | { readonly kind: "examine"; readonly request: ExamineRequest }
  | { readonly kind: "play"; readonly request: MatchRequest; readonly runtime_version: string }
  | { readonly kind: "look"; readonly request: LookRequest }
export type JobAnswer =
  | { readonly kind: "ready" }
  | { readonly kind: "examined"; readonly verdict: Verdict; readonly said: string }
  | { readonly kind: "played"; readonly report: MatchReport }
  | { readonly kind: "looked"; readonly looked: Looked }
  | { readonly kind: "failed"; readonly detail: string }

/** The runtime's message goes beside the verdict, whose text is ours. */
const examine = async (module: WebAssembly.Module, request: ExamineRequest): Promise<JobAnswer> => {
  const check = examineFiles(request)
  let said = ""
  const hear = (detail: string) => {
    said = detail.slice(0, SAID_MAX_CHARACTERS)
  }
  const verdict = check.ok ? await examineRuns(module, request.weights, check.plan, hear) : check.verdict
  return { kind: "examined", verdict, said }
}

const work = async (module: WebAssembly.Module, job: Job): Promise<JobAnswer> => {
  try {
    if (job.kind === "examine") return await examine(module, job.request)
    const game = job.kind === "look" ? job.request.replay.game : job.request.game
    const engine = engineOf(game)
    if (engine === undefined) return { kind: "failed", detail: `no engine for ${game}` }
    if (job.kind === "look") return { kind: "looked", looked: await look(module, engine, job.request) }
    return { kind: "played", report: await play(module, engine, job.request, job.runtime_version) }
  } catch (error) {
    return { kind: "failed", detail: error instanceof Error ? error.message : String(error) }
  }
}

const send = (answer: JobAnswer) => process.send!(answer)

process.on("disconnect", () => process.exit(0))
const module = await WebAssembly.compile(await readFile(wasmPath))
process.on("message", (job: Job) => void work(module, job).then(send))
send({ kind: "ready" })
