/**
 * A season as a YAML file: what `createSeason` takes, with the game, and the rounds that are planned
 * in it. Other keys are refused.
 */
import { fieldErrors, sentencesOf } from "@agon/api/fieldErrors.ts"
import { CreateSeason } from "@agon/api/season/creation.ts"
import { PlanRound } from "@agon/api/season/rounds.ts"
import { Slug } from "@agon/api/Wire.ts"
import { type Fault, faultsOfClasses, faultsOfWindow, rulesPatchOf } from "@agon/domain/season/Editing.ts"
import { Effect, Schema } from "effect"
import { Argument } from "effect/cli"
import { parseDocument } from "yaml"
import { CouldNotRun } from "../../Answer.ts"
import { readBytes } from "../../files.ts"

export const SeasonFile = Schema.Struct({
  ...CreateSeason.fields,
  game: Slug,
  slug: Slug,
  rounds: Schema.optionalKey(Schema.Array(PlanRound))
})
export type SeasonFile = typeof SeasonFile.Type

export const fileArgument = Argument.File("FILE.yaml").pipe(Argument.withDescription("The season, as YAML"))

const decode = Schema.decodeUnknownEffect(SeasonFile, { onExcessProperty: "error", errors: "all" })

const parse = (path: string, bytes: Uint8Array) =>
  Effect.try({
    try: (): unknown => {
      const document = parseDocument(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
      const [error] = document.errors
      if (error !== undefined) throw error
      return document.toJS()
    },
    catch: (error) => new CouldNotRun({ message: `${path} is not YAML: ${(error as Error).message.split("\n")[0]!.replace(/:$/, ".")}` })
  })

export const readSeasonFile = Effect.fnUntraced(function* (path: string) {
  const value = yield* parse(path, yield* readBytes(path))
  const file = yield* Effect.mapError(decode(value), ({ issue }) => {
    return new CouldNotRun({ message: `${path}: ${sentencesOf(fieldErrors(issue), "file")}` })
  })
  for (const [n, round] of (file.rounds ?? []).entries()) {
    const before = file.rounds?.[n - 1]
    if (before !== undefined && Date.parse(round.starts_at) <= Date.parse(before.starts_at))
      return yield* new CouldNotRun({ message: `${path}: starts_at of item ${n + 1} of rounds must be after that of the round before.` })
  }
  return file
})

/** Faults of the dates, rules and classes for which the service would refuse the file, by its own check. */
const faultsOf = ({ rules: asked, submissions_close_at, submissions_open_at, weight_classes }: SeasonFile): ReadonlyArray<Fault> => {
  const rules = rulesPatchOf(asked ?? {})
  const window = { submissions_open_at: Date.parse(submissions_open_at), submissions_close_at: Date.parse(submissions_close_at) }
  return [...faultsOfWindow(window), ...("refused" in rules ? rules.errors : []), ...faultsOfClasses(weight_classes)]
}

/** A file that a season can be made of, so that a dry run says no where the service would. */
export const readCreatableFile = Effect.fnUntraced(function* (path: string) {
  const file = yield* readSeasonFile(path)
  const faults = faultsOf(file)
  return faults.length === 0 ? file : yield* new CouldNotRun({ message: `${path}: ${sentencesOf(faults)}` })
})
