/**
 * The form that edits a season while it is scheduled: its dates, rules and classes. Only the fields that were typed anew are sent, and
 * nothing where another administrator has changed one of them since the form was shown (editConflict.ts).
 */
import { EditSeason } from "@agon/api/season/administration.ts"
import type { Season } from "@agon/api/season/Season.ts"
import { Effect } from "effect"
import type { Html } from "../html/Html.ts"
import { html } from "../html/Html.ts"
import { seasonAdminAt } from "../html/links.ts"
import { constraintsOf } from "../http/form/constraints.ts"
import type { Tried } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import { type Edit, editOf, isTyped, merged, type Texts, triedAgain, typedBy, unlessOvertaken, WAS, wasText } from "./editConflict.ts"
import { instantOf, localOf, seasonForm } from "./forms.ts"
import { CLASS_NAMES, RULE_FIELDS, ruleFields, ruleValues, typedClasses, typedRules } from "./rules.ts"

const DATES = ["submissions_open_at", "submissions_close_at"] as const
const FIELDS: ReadonlyArray<string> = [WAS, ...DATES, ...RULE_FIELDS, ...CLASS_NAMES]

const textsOf = (season: Season): Texts => ({
  submissions_open_at: localOf(season.submissions_open_at),
  submissions_close_at: localOf(season.submissions_close_at),
  ...ruleValues(season)
})

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
    if (season.state === "scheduled") yield* unlessOvertaken(edit, "the season") // the service refuses it otherwise
    const payload = payloadOf(edit)
    if (payload !== undefined) yield* client.seasonEditing.editSeason({ params: of, payload })
  })
})

const limits = constraintsOf(EditSeason)

export const editing = (season: Season, tried: Tried | undefined): Html | "" => {
  if (season.state !== "scheduled") return ""
  const now = textsOf(season)
  const isTried = tried?.form === edit.name
  const fields = inputs<string>(edit, isTried ? triedAgain(tried, now) : undefined, now)
  const { hidden, text, whole } = fields
  const body = html`${hidden(WAS, wasText(now))}${text("submissions_open_at", "Takes models from, in UTC", { more: limits("submissions_open_at") })}${text("submissions_close_at", "Takes models until, in UTC", { more: limits("submissions_close_at") })}${ruleFields(fields)}`
  return html`<h2>Edit it</h2>
<p>Until the season takes models, its dates, rules and classes can be edited. Two administrators may edit at once: where both change one value, the later is shown both. The <a href="${seasonAdminAt(season.game, season.slug, "log")}">log</a> tells who changed what.</p>
<details${isTried && html` open`}>
<summary>Dates, rules and classes</summary>
${whole(body, "Save", "Edit the season")}
</details>
`
}
