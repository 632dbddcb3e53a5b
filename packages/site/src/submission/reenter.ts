/** Entering a version of another season again: its files are here, so that this needs no scripts. */
import type { ModelDetail } from "@agon/api/model/api.ts"
import { Effect } from "effect"
import { type Html, html } from "../html/Html.ts"
import { myVersionAt } from "../html/links.ts"
import { form, type Tried } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import type { SeasonNames } from "../http/seasonNames.ts"
import { ownModel } from "../model/ownModel.ts"

export const reenter = form({
  name: "reenter",
  fields: ["from"],
  codes: { nothing_to_reenter: "from", weights_already_entered: "from" },
  send: Effect.fnUntraced(function* ({ client, params, typed }) {
    const { game, id } = yield* ownModel(client, params["id"]!)
    const payload = { game, model: id, season: params["season"]!, from: typed.one("from") }
    const { version_id } = yield* client.submission.reenter({ payload })
    return { to: myVersionAt(version_id) }
  })
})

/** Other seasons in which a version of the model is or was entered. */
const seasonsOf = ({ versions }: ModelDetail, season: string): ReadonlyArray<string> => [
  ...new Set(versions.flatMap((each) => (each.season === season || /^(testing|rejected)$/.test(each.status) ? [] : [each.season])))
]

/** A refused form stands there whatever seasons there are. */
export const reentry = (detail: ModelDetail | null, season: string, tried: Tried | undefined, seasonOf: SeasonNames): Html | "" => {
  const seasons = detail === null ? [] : seasonsOf(detail, season)
  if (seasons.length === 0 && tried?.form !== reenter.name) return ""
  const { choice, whole } = inputs(reenter, tried)
  const hint = "Its version that is entered there, or was last, is examined again and goes through the trial of this season."
  return html`<h2>Enter a version of another season again</h2>
${whole(
  choice(
    "from",
    "From season",
    seasons.map((value) => ({ value, label: seasonOf(detail?.game ?? "", value) })),
    { hint }
  ),
  "Enter it again",
  "Enter a version of another season again"
)}`
}
