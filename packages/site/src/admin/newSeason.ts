/** The form that creates a season. It begins with the rules of the game's last season, where there is one. */
import type { Client } from "@agon/api/Client.ts"
import { CreateSeason } from "@agon/api/season/creation.ts"
import { Effect } from "effect"
import { html, said } from "../html/Html.ts"
import { platformAdminAt, seasonAdminAt } from "../html/links.ts"
import { constraintsOf } from "../http/form/constraints.ts"
import type { Typed } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import { pastedUsername } from "../http/form/pasted.ts"
import { doneAt, given, instantOf, LeadsTo, listed, platformForm } from "./forms.ts"
import { platformAdminPage } from "./guard.ts"
import { CLASS_NAMES, RULE_FIELDS, ruleFields, ruleValues, typedClasses, typedRules } from "./rules.ts"
import { FLEET_USES } from "./steering.ts"

const OWN = ["game", "name", "slug", "submissions_open_at", "submissions_close_at", "visibility", "entry"] as const
const FIELDS: ReadonlyArray<string> = [...OWN, "fleet.matches", "fleet.admissions", "providers", "admins", ...RULE_FIELDS, ...CLASS_NAMES]

type Body = typeof CreateSeason.Type

/** None where all are ticked: a season that names those of today would shut out whoever signs in by one of tomorrow. */
const providersOf = Effect.fnUntraced(function* (client: Client, typed: Typed) {
  const ticked = typed.all("providers")
  const known = yield* client.account.authProviders()
  return known.every(({ slug }) => ticked.includes(slug)) ? [] : ticked
})

const create = platformForm("seasons", {
  name: "create",
  fields: FIELDS,
  codes: { season_exists: "slug", unknown_game: "game" },
  send: Effect.fnUntraced(function* ({ client, typed }) {
    const one = (name: string) => typed.one(name)
    const admins = listed(one("admins")).map(pastedUsername)
    const payload = {
      name: one("name"),
      ...given("slug", one("slug"), (slug) => slug.trim()),
      submissions_open_at: instantOf(one("submissions_open_at")),
      submissions_close_at: instantOf(one("submissions_close_at")),
      rules: typedRules(typed),
      weight_classes: typedClasses(typed),
      visibility: one("visibility") as Body["visibility"],
      entry: one("entry") as Body["entry"],
      fleet: { matches: one("fleet.matches"), admissions: one("fleet.admissions") } as Body["fleet"],
      providers: yield* providersOf(client, typed),
      ...(admins.length === 0 ? {} : { admins })
    }
    const { game, slug } = yield* client.seasonCreation.createSeason({ params: { game: one("game") }, payload })
    return new LeadsTo({ to: doneAt(seasonAdminAt(game, slug)) })
  })
})

const limits = constraintsOf(CreateSeason)

export const newSeason = platformAdminPage({
  part: "seasons",
  query: ["game"],
  forms: [create],
  render: Effect.fnUntraced(function* ({ client, query, tried }) {
    const [games, providers] = yield* Effect.all([client.game.games(), client.account.authProviders()], { concurrency: "unbounded" })
    const game = games.find(({ slug }) => slug === query["game"]) ?? games[0]!
    const [last] = yield* client.season.privateSeasons({ params: { game: game.slug } })
    const fields = inputs<string>(create, tried, {
      game: game.slug,
      visibility: "public",
      entry: "open",
      providers: providers.map(({ slug }) => slug),
      ...ruleValues(last)
    })
    const { area, box, choice, text, whole } = fields
    const body = html`${choice(
      "game",
      "Game",
      games.map(({ name, slug }) => ({ value: slug, label: name }))
    )}${text("name", "Name", { hint: "1 to 100 characters. It cannot be changed.", more: html`${limits("name")} autocomplete="off"` })}${text("slug", "Address", { hint: "Small letters, digits and dashes; made from the name where it is left out.", more: html`${limits("slug")} autocomplete="off"` })}${text("submissions_open_at", "Takes models from, in UTC", { hint: "The season is live from then on; a past time opens it at once. Rules can be edited until then.", more: limits("submissions_open_at") })}${text("submissions_close_at", "Takes models until, in UTC", { more: limits("submissions_close_at") })}${choice(
      "visibility",
      "Seen by",
      [
        { value: "public", label: "everybody" },
        { value: "private", label: "its participants and administrators" }
      ],
      { hint: "A private season is always restricted." }
    )}${choice("entry", "Who may enter", [
      { value: "open", label: "anybody who signs in" },
      { value: "restricted", label: "people on the roster" }
    ])}<fieldset>
<legend>A competitor signs in with one of</legend>
<p class="hint">Where all are ticked, or none, any will do, also one that the service takes later.</p>
${providers.map(({ label, slug }) => box("providers", slug, label))}</fieldset>
${choice("fleet.matches", "Matches are played by", FLEET_USES)}${choice("fleet.admissions", "Candidates are examined by", FLEET_USES)}${area("admins", "Its administrators", { hint: "Usernames, in lines or with commas; may be left out." })}${ruleFields(fields)}`
    return html`<p>${last === undefined ? "The rules below are the usual ones." : html`The rules below begin as those of the season ${said(last.name)}.`} ${games.map(
      ({ name, slug }) => slug !== game.slug && html`<a href="${platformAdminAt("seasons")}?game=${slug}">Begin with those of ${name}</a> `
    )}</p>
${whole(body, "Create the season", "Create a season")}`
  })
})
