/**
 * The form that edits a season while it is scheduled: its dates, rules and classes. Only the fields that were typed anew are sent, and
 * nothing where another administrator has changed one of them since the form was shown (meanwhile.ts).
 */
import { EditSeason } from "@agon/api/season/administration.ts"
import type { Season } from "@agon/api/season/Season.ts"
import { Data, Effect } from "effect"
import type { Html } from "../html/Html.ts"
import { html } from "../html/Html.ts"
import { seasonDeskAt } from "../html/links.ts"
import { constraintsOf } from "../http/constraints.ts"
import type { Tried } from "../http/Form.ts"
import { inputs } from "../http/inputs.ts"
import { instantOf, localOf, seasonForm } from "./forms.ts"
import { type Edit, editOf, isTyped, merged, overtaken, type Texts, typedBy, WAS, wasText } from "./meanwhile.ts"
import { CLASS_NAMES, RULE_FIELDS, ruleFields, ruleValues, typedClasses, typedRules } from "./rules.ts"

const DATES = ["submissions_open_at", "submissions_close_at"] as const
const FIELDS: ReadonlyArray<string> = [WAS, ...DATES, ...RULE_FIELDS, ...CLASS_NAMES]

const textsOf = (season: Season): Texts => ({
  submissions_open_at: localOf(season.submissions_open_at),
  submissions_close_at: localOf(season.submissions_close_at),
  ...ruleValues(season)
})

/** Refused by the site itself, in the form of a refusal of the API. */
class Overtaken extends Data.Error<{
  readonly status: 409
  readonly code: "overtaken"
  readonly detail: string
  readonly errors: ReadonlyArray<{ readonly path: string; readonly message: string }>
}> {}

const DETAIL =
  "Somebody has changed the season since this form was shown. Nothing has been saved. Your values stand in the form; saving them again replaces the others."

/** Settings that the edit changes; undefined where it changes none. Weight classes are one value. */
const payloadOf = (edit: Edit): EditSeason | undefined => {
  const typed = typedBy(merged(edit))
  const rules = RULE_FIELDS.filter((name) => isTyped(edit, name))
  const payload = {
    ...Object.fromEntries(DATES.filter((name) => isTyped(edit, name)).map((name) => [name, instantOf(typed.one(name))])),
    ...(rules.length === 0 ? {} : { rules: typedRules(typed, rules) }),
    ...(CLASS_NAMES.some((name) => isTyped(edit, name)) ? { weight_classes: typedClasses(typed) } : {})
  }
  return Object.keys(payload).length === 0 ? undefined : payload
}

export const edit = seasonForm("", {
  name: "edit",
  fields: FIELDS,
  send: Effect.fnUntraced(function* ({ client, of, typed }) {
    const season = yield* client.season.privateSeason({ params: of })
    const edit = editOf(typed, textsOf(season))
    const faults = season.state === "scheduled" ? [...overtaken(edit)] : [] // the service refuses it otherwise
    if (faults.length > 0) {
      const errors = faults.map(([path, message]) => ({ path, message }))
      return yield* new Overtaken({ status: 409, code: "overtaken", detail: DETAIL, errors })
    }
    const payload = payloadOf(edit)
    if (payload !== undefined) yield* client.seasonEditing.editSeason({ params: of, payload })
  })
})

/** The form as it is shown again: made of the record as it is now, with what was typed, and what was overtaken told beside it. */
const triedAgain = (tried: Tried, now: Texts): Tried => {
  const edit = editOf(tried.typed, now)
  return { ...tried, typed: typedBy(merged(edit)), faults: new Map([...tried.faults, ...overtaken(edit)]) }
}

const limits = constraintsOf(EditSeason)

export const editing = (season: Season, tried: Tried | undefined): Html | "" => {
  if (season.state !== "scheduled") return ""
  const now = textsOf(season)
  const isTried = tried?.form === edit.name
  const fields = inputs<string>(edit, isTried ? triedAgain(tried, now) : undefined, now)
  const { hidden, text, whole } = fields
  const body = html`${hidden(WAS, wasText(now))}${text("submissions_open_at", "Takes models from, in UTC", { more: limits("submissions_open_at") })}${text("submissions_close_at", "Takes models until, in UTC", { more: limits("submissions_close_at") })}${ruleFields(fields)}`
  return html`<h2>Edit it</h2>
<p>Until the season takes models, its dates, rules and classes can be edited. Two administrators may edit at once: where both change one value, the later is shown both. The <a href="${seasonDeskAt(season.game, season.slug, "log")}">log</a> tells who changed what.</p>
<details${isTried && html` open`}>
<summary>Dates, rules and classes</summary>
${whole(body, "Save", "Edit the season")}
</details>
`
}
