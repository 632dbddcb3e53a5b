/** Forms that change a season after its creation: its entry, its fleet, whether it is featured, and its end. */
import { InvalidRequest } from "@agon/api/Problem.ts"
import type { SeasonKeys } from "@agon/api/runner/season.ts"
import type { Fleet } from "@agon/api/season/creation.ts"
import type { Season } from "@agon/api/season/Season.ts"
import { Effect } from "effect"
import { type Html, html } from "../html/Html.ts"
import { count } from "../html/words.ts"
import { button, confirmedButton } from "../http/form/buttons.ts"
import type { Tried } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import { given, numberOf, seasonForm } from "./forms.ts"

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
  send: ({ client, of, typed }) => {
    const chosen = (name: "matches" | "admissions") => given(name, typed.one(name), (use) => use as FleetUse)
    return client.seasonSteering.changeFleet({ params: of, payload: { ...chosen("matches"), ...chosen("admissions") } })
  }
})

/** The word for no limit of matches an hour. */
const NO_LIMIT = "none"

const fill = seasonForm("", {
  name: "fill",
  fields: ["enabled", "max_per_hour"],
  send: ({ client, of, typed }) => {
    const most = (text: string) => (text.trim() === NO_LIMIT ? null : numberOf(text))
    const payload = {
      ...given("enabled", typed.one("enabled"), (word) => word === "yes"),
      ...given("max_per_hour", typed.one("max_per_hour"), most)
    }
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

/** A form begins with no setting, and sends chosen settings alone: those that another makes meanwhile stay. */
const asItIs = (label: string) => ({ value: "", label: `as it is: ${label}` })
const useOf = (use: FleetUse) => asItIs(FLEET_USES.find(({ value }) => value === use)!.label)

const fleetForms = ({ fill: now, fleet: uses }: Settings, tried: Tried | undefined): Html => {
  const fleets = inputs(fleet, tried)
  const fills = inputs(fill, tried)
  return html`<h2>Whose runners work for it</h2>
${fleets.whole(html`${fleets.choice("matches", "Matches are played by", [useOf(uses.matches), ...FLEET_USES])}${fleets.choice("admissions", "Candidates are examined by", [useOf(uses.admissions), ...FLEET_USES])}`, "Set", "Whose runners work for it")}
<h2>Matches while none is owed</h2>
<p>In a round, play rests once every model has its matches. With this, runners that have nothing else to do play on.</p>
${fills.whole(
  html`${fills.choice("enabled", "Play on", [
    asItIs(now.enabled ? "yes" : "no"),
    { value: "no", label: "no" },
    { value: "yes", label: "yes" }
  ])}${fills.text("max_per_hour", "At most so many an hour", { hint: html`Empty leaves it as it is, which is ${now.max_per_hour === null ? "no limit" : count(now.max_per_hour)}; <code>${NO_LIMIT}</code> is no limit.` })}`,
  "Set",
  "Matches while none is owed"
)}`
}

/** The API does not tell whether the featured season was chosen, or is the newest. */
const featuring = ({ name }: Season, isFeatured: boolean): Html =>
  isFeatured
    ? html`<h2>It is featured</h2>
<p>Where a request to the API names no season of the game, this one answers. To take that back, feature another season of the game on its own page. Where none was chosen, the newest season takes its place once it is live; this one stays if you keep it.</p>
${button(feature, {}, "Keep it featured", name)}
`
    : html`<h2>Feature it</h2>\n<p>Where a request to the API names no season of the game, the featured one answers.</p>\n${button(feature, {}, "Feature this season", name)}\n`

type Settings = Pick<SeasonKeys, "fleet" | "fill">

/** The visitor of a season's page. */
interface Seen {
  /** Whether they administer the platform. */
  readonly isPlatform: boolean
  /** Whether reads that name no season of the game mean this one. */
  readonly isFeatured: boolean
  readonly settings: Settings
  readonly tried: Tried | undefined
}

export const steering = (season: Season, { isFeatured, isPlatform, settings, tried }: Seen): Html => {
  const { entry, name, slug, state, visibility } = season
  const featured = isPlatform && visibility === "public" && featuring(season, isFeatured)
  if (state === "closed") return html`<p>The season is closed: its settings and its podium stay as they are.</p>\n${featured}`
  const { text, whole } = inputs(close, tried)
  return html`${featured}${
    state === "scheduled" &&
    visibility === "public" &&
    entry === "open" &&
    html`<h2>Restrict entry</h2>\n<p>Only people on the roster may enter then. This cannot be undone.</p>\n${confirmedButton(narrow, {}, "Restrict entry to the roster", `of ${name}`, "Nobody can open it again.")}\n`
  }${isPlatform && fleetForms(settings, tried)}
<h2>Close the season</h2>
<p>No new match starts and candidates are rejected. Matches that are being played get a minute; then the last results are checked, and the podium is frozen. This cannot be undone.</p>
${whole(text("season", `Type ${slug} to close it`, { more: html`required pattern="${slug}" autocomplete="off"` }), "Close the season", "Close the season")}`
}
