/** Settings of a season that stands: who may enter, what its fleet does, whether it is featured, and its end. */

import { InvalidRequest } from "@agon/api/Problem.ts"
import { EditFill } from "@agon/api/season/administration.ts"
import type { Fleet } from "@agon/api/season/creation.ts"
import type { Season } from "@agon/api/season/Season.ts"
import { Effect } from "effect"
import { type Html, html } from "../html/Html.ts"
import { constraintsOf } from "../http/constraints.ts"
import type { Tried } from "../http/Form.ts"
import { inputs } from "../http/inputs.ts"
import { button, numberOf, seasonForm, sureButton } from "./forms.ts"

const narrow = seasonForm("", {
  name: "narrow",
  fields: [],
  send: ({ client, of }) => client.seasonEditing.narrowEntry({ params: of, payload: { entry: "restricted" } })
})

const feature = seasonForm("", {
  name: "feature",
  fields: [],
  send: ({ client, of }) => client.seasonSteering.featureSeason({ params: of })
})

export const steeringButtons = [narrow, feature]

type FleetUse = (typeof Fleet.Type)["matches"]

const fleet = seasonForm("", {
  name: "fleet",
  fields: ["matches", "admissions"],
  send: ({ client, of, typed }) =>
    client.seasonSteering.changeFleet({
      params: of,
      payload: { matches: typed.one("matches") as FleetUse, admissions: typed.one("admissions") as FleetUse }
    })
})

const fill = seasonForm("", {
  name: "fill",
  fields: ["enabled", "max_per_hour"],
  send: ({ client, of, typed }) => {
    const most = typed.one("max_per_hour")
    const payload = { enabled: typed.one("enabled") === "yes", max_per_hour: most.trim() === "" ? null : numberOf(most) }
    return client.seasonSteering.changeFill({ params: of, payload })
  }
})

/** Nobody ends a season by a slip: its name in the address is typed. */
const close = seasonForm("", {
  name: "close",
  fields: ["season"],
  send: ({ client, of, typed }) =>
    typed.one("season").trim() === of.slug
      ? client.seasonEditing.closeSeason({ params: of })
      : Effect.fail(
          new InvalidRequest({ detail: "The season has not been closed.", errors: [{ path: "season", message: `Type ${of.slug} here.` }] })
        )
})

export const steeringForms = [fleet, fill, close]

export const FLEET_USES: ReadonlyArray<{ readonly value: FleetUse; readonly label: string }> = [
  { value: "both", label: "both fleets" },
  { value: "own", label: "the season's own fleet" },
  { value: "platform", label: "the platform's fleet" }
]

/** Choices of a form that leave the setting as it is are not made: the API does not tell which it has. */
const fleetForms = (tried: Tried | undefined): Html => {
  const fleets = inputs(fleet, tried)
  const fills = inputs(fill, tried)
  const limits = constraintsOf(EditFill)
  return html`<h2>Whose runners work for it</h2>
${fleets.whole(html`${fleets.choice("matches", "Matches are played by", FLEET_USES)}${fleets.choice("admissions", "Candidates are examined by", FLEET_USES)}`, "Set", "Whose runners work for it")}
<h2>Matches while none is owed</h2>
<p>In a round, play rests once every model has its matches. With this, runners that have nothing else to do play on.</p>
${fills.whole(
  html`${fills.choice("enabled", "Play on", [
    { value: "no", label: "no" },
    { value: "yes", label: "yes" }
  ])}${fills.text("max_per_hour", "At most so many an hour", { hint: "Empty for no limit.", more: limits("max_per_hour") })}`,
  "Set",
  "Matches while none is owed"
)}`
}

/** `isPlatform`: whether the visitor administers the platform. */
export const steering = ({ entry, name, slug, state, visibility }: Season, isPlatform: boolean, tried: Tried | undefined): Html => {
  if (state === "closed") return html`<p>The season is closed: nothing about it can be changed.</p>`
  const { text, whole } = inputs(close, tried)
  return html`${isPlatform && visibility === "public" && html`<h2>Feature it</h2>\n<p>Reads that name no season mean the featured one.</p>\n${button(feature, {}, "Feature this season", name)}\n`}${
    state === "scheduled" &&
    visibility === "public" &&
    entry === "open" &&
    html`<h2>Restrict entry</h2>\n<p>Only people on the roster may enter then. This cannot be undone.</p>\n${sureButton(narrow, {}, "Restrict entry to the roster", name, "Nobody can open it again.")}\n`
  }${isPlatform && fleetForms(tried)}
<h2>Close the season</h2>
<p>No new match starts and candidates are rejected. Matches that are being played get a minute; then the podium is frozen. This cannot be undone.</p>
${whole(text("season", `Type ${slug} to close it`, { more: html`required pattern="${slug}" autocomplete="off"` }), "Close the season", "Close the season")}`
}
