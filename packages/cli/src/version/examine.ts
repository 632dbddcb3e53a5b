/** `agon examine MODEL.onnx [MANIFEST.json] --game snakes [--season SLUG]`: checks a model as admission does. */
import { LADDERS } from "@agon/domain/season/Rules.ts"
import { Arena } from "@agon/sandbox/Arena.ts"
import type { Verdict } from "@agon/sandbox/Verdict.ts"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { answer, CouldNotRun } from "../Answer.ts"
import { readBytes } from "../files.ts"
import { gameFlag } from "../gameFlag.ts"
import { checkRule } from "../numberFlag.ts"
import { sandbox } from "../Sandbox.ts"
import { manifestArgument, manifestOf } from "./seat.ts"
import { readStandard, standardFlags } from "./standard.ts"

/** The service compares speed with the season's rules after the examination; the command does the same here. */
const withSpeed = (verdict: Verdict, max_us: number) =>
  verdict.verdict === "admitted" && verdict.infer_us > max_us
    ? {
        verdict: "rejected",
        reject_reason: "too_slow",
        reject_detail: `One inference took ${verdict.infer_us} us; the season allows ${max_us} us.`
      }
    : verdict

const say = (verdict: ReturnType<typeof withSpeed>): string => {
  if ("reject_reason" in verdict) return `rejected (${verdict.reject_reason}): ${verdict.reject_detail}`
  if ("detail" in verdict) return `could not be examined: ${verdict.detail}`
  const { param_count, infer_us, memory } = verdict as Extract<Verdict, { verdict: "admitted" }>
  return `admitted: ${param_count} parameters, ${infer_us} us a move here, memory flat ${memory.flat} cell ${memory.cell}`
}

/** A model may play so, and hardly means to. */
const UNDECIDED =
  "Every run gave all actions the same number, so it always plays the first legal one: look for a Softmax along the batch (dim=0), or for weights that are zeros."

const byWhat = (season: { readonly url: string; readonly slug: string } | null): string =>
  season === null
    ? "by the weight classes of the demonstration season; --season SLUG takes those of a season"
    : `by the weight classes of ${season.slug} at ${season.url}`

export const examine = Command.make(
  "examine",
  {
    model: Argument.File("MODEL.onnx").pipe(Argument.withDescription("The model, one ONNX file")),
    manifest: manifestArgument,
    game: gameFlag,
    ...standardFlags,
    weightClass: Flag.Literals("class", LADDERS).pipe(
      Flag.withDescription("Only admit to this class (default: every class)"),
      Flag.optional
    ),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print the verdict as JSON"), Flag.withDefault(false))
  },
  Effect.fn(function* (given) {
    if (Option.isSome(given.inferUsMax)) yield* checkRule("infer-us-max", given.inferUsMax.value)
    const files = { weights: yield* readBytes(given.model), manifest: yield* readBytes(yield* manifestOf(given.model, given.manifest)) }
    const { boards, infer_us_max, season, weight_classes: all } = yield* readStandard(given)
    const weight_classes = all.filter((one) => Option.isNone(given.weightClass) || one.class === given.weightClass.value)
    const arena = yield* Arena
    const verdict = withSpeed(yield* arena.examine({ game: given.game, ...files, weight_classes, boards }), infer_us_max)
    if (given.json) yield* Console.log(JSON.stringify({ ...verdict, judged_by: { season, weight_classes, infer_us_max } }))
    else for (const line of [say(verdict), ...("undecided" in verdict ? [UNDECIDED] : []), byWhat(season)]) yield* Console.log(line)
    if (verdict.verdict === "failed") return yield* new CouldNotRun({ message: "The examination failed, through no fault of the model." })
    yield* answer(verdict.verdict === "admitted")
  })
).pipe(Command.provide(sandbox), Command.provide(NodeHttpClient.layerNodeHttp))
