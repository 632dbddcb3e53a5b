/** The rules of a season as fields of a form, each explained, with the bounds that the service has. */
import { classBounds, type RuleBounds, ruleAt, ruleBounds } from "@agon/api/season/bounds.ts"
import type { WeightClass } from "@agon/api/season/Rules.ts"
import type { Season } from "@agon/api/season/Season.ts"
import { ladders } from "@agon/api/Wire.ts"
import { type Html, html } from "../html/Html.ts"
import { bytes, count } from "../html/words.ts"
import { wholeNumber } from "../http/form/constraints.ts"
import type { Typed } from "../http/form/Form.ts"
import type { Inputs } from "../http/form/inputs.ts"
import { numberOf } from "./forms.ts"

/** Label and explanation of each rule, by its path. */
const WORDS: Readonly<Record<string, readonly [string, string]>> = {
  max_models_per_owner: ["Models of a competitor", "So many models may one competitor have in this season."],
  max_versions_per_model: ["Versions of a model", "So many versions may be submitted of one model."],
  cooldown_s: ["Seconds between two versions", "So long does a competitor wait after a version before the next. 0 is no wait."],
  note_max_length: ["Characters of a note", "So long may the note on a version be."],
  infer_us_max: ["Microseconds for a move", "A model that takes longer for one move when it is examined is refused."],
  "trial.matches": ["Trial matches", "A candidate plays so many before it enters the ladder."],
  "match.max_turns": ["Turns of a match", "A match ends after so many turns at the latest."],
  "match.strike_limit": ["Strikes", "A model with so many invalid or late moves forfeits the match."],
  provisional_matches: ["Provisional matches", "A rating is provisional during the first matches."],
  upload_window_s: ["Seconds for the upload", "Both files of a version are sent within this time."],
  learn_spread: [
    "Learn how far strengths lie apart",
    "0: ratings start with a deviation of 200. 1: with what the field turns out to have, which orders a very even or a very uneven field better; " +
      "all ratings of the round then move now and then."
  ],
  max_stored_bytes_per_owner: ["Bytes of a competitor", "The files of one competitor take so much at most, over all seasons."]
}

const CLASS_FIELDS = ["max_bytes", "memory_flat_bytes", "memory_cell_bytes"] as const
type ClassField = (typeof CLASS_FIELDS)[number]

const classField = (i: number, field: ClassField) => `weight_classes.${i}.${field}`

/** Their names are the API's paths, so that a fault is shown beside its field. */
export const RULE_FIELDS: ReadonlyArray<string> = ruleBounds.map(({ path }) => `rules.${path}`)
export const CLASS_NAMES: ReadonlyArray<string> = ladders.flatMap((_, i) => CLASS_FIELDS.map((field) => classField(i, field)))

/** Sizes that a first season may begin with. */
const FIRST_CLASSES: ReadonlyArray<WeightClass> = ladders.map((name, i) => ({
  class: name,
  max_bytes: 16_384 * 4 ** i,
  memory_flat_bytes: 0,
  memory_cell_bytes: i < 2 ? 0 : 64
}))

/** The first values of the fields: the rules and classes of a season, or the usual ones. */
export const ruleValues = (season: Pick<Season, "rules" | "weight_classes"> | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries([
    ...ruleBounds.map(({ initial, path }) => [`rules.${path}`, String(season === undefined ? initial : ruleAt(season.rules, path))]),
    ...(season?.weight_classes ?? FIRST_CLASSES).flatMap((weight, i) =>
      CLASS_FIELDS.map((field) => [classField(i, field), String(weight[field])])
    )
  ])

const worded = (path: string, n: number) => (path.endsWith("bytes_per_owner") ? bytes(n) : count(n))

const ruleField = ({ text }: Inputs<string>, { initial, least, most, path }: RuleBounds): Html => {
  const [label, sentence] = WORDS[path] ?? [path, ""]
  return text(`rules.${path}`, label, {
    hint: `${sentence} ${worded(path, least)} to ${worded(path, most)}; usually ${worded(path, initial)}.`,
    more: html`${wholeNumber(least, most)} required`
  })
}

/** A refusal at the top of the page has the label alone, so that each names its class. */
const CLASS_WORDS: Readonly<Record<ClassField, (name: string) => string>> = {
  max_bytes: (name) => `Files of ${name}, in bytes, at most`,
  memory_flat_bytes: (name) => `Memory of ${name}, in bytes`,
  memory_cell_bytes: (name) => `Memory of ${name} for each cell, in bytes`
}

const boundsOf = (field: ClassField): string => `${count(classBounds[field][0])} to ${count(classBounds[field][1])}.`

const classFields = (fields: Inputs<string>, name: string, i: number): Html => html`<fieldset>
<legend>Class ${name}</legend>
${CLASS_FIELDS.map((field) =>
  fields.text(classField(i, field), CLASS_WORDS[field](name), {
    hint: boundsOf(field),
    more: html`${wholeNumber(...classBounds[field])} required`
  })
)}</fieldset>
`

export const ruleFields = (fields: Inputs<string>): Html => html`<fieldset>
<legend>Rules</legend>
${ruleBounds.map((rule) => ruleField(fields, rule))}</fieldset>
<p>Six weight classes, each with larger files than the one before, at most ${bytes(classBounds.max_bytes[1])}. A version belongs to the smallest class that holds its two files. Its memory between turns must fit the class on every board of the season.</p>
<div class="cards">
${ladders.map((name, i) => classFields(fields, name, i))}</div>
`

/** The rules as the API takes them: all of them, or those whose fields are named. */
export const typedRules = (typed: Typed, names: ReadonlyArray<string> = RULE_FIELDS) => {
  const rules: Record<string, number | Record<string, number>> = {}
  for (const name of names) {
    const value = numberOf(typed.one(name))
    const path = name.slice("rules.".length)
    const [outer = "", inner] = path.split(".")
    rules[outer] = inner === undefined ? value : { ...(rules[outer] as Record<string, number> | undefined), [inner]: value }
  }
  return rules
}

export const typedClasses = (typed: Typed): ReadonlyArray<WeightClass> =>
  ladders.map((name, i) => {
    const one = (field: ClassField) => numberOf(typed.one(classField(i, field)))
    return {
      class: name,
      max_bytes: one("max_bytes"),
      memory_flat_bytes: one("memory_flat_bytes"),
      memory_cell_bytes: one("memory_cell_bytes")
    }
  })
