/** The filters and orders of the list of matches, as a form that asks with GET, and which of its fields need another value. */
import { MatchQuery, Sort } from "@agon/api/match/api.ts"
import { Outcome } from "@agon/api/match/Match.ts"
import { ladders } from "@agon/api/Wire.ts"
import { Exit, Schema } from "effect"
import { type Html, html } from "../html/Html.ts"
import type { Places } from "../html/links.ts"
import { pastedBoard, pastedId, pastedUsername } from "../http/form/pasted.ts"

export type Query = Readonly<Record<string, string>>

const decode = Schema.decodeUnknownExit(Schema.toCodecStringTree(MatchQuery))

/** A day, as a form's field has it, begins at midnight UTC. */
const asked = (query: Query): Query => {
  const since = query["since"]
  return since !== undefined && /^\d{4}-\d\d-\d\d$/.test(since) ? { ...query, since: `${since}T00:00:00Z` } : query
}

/** Ids and names in place of addresses that were pasted. */
export const canonical = (query: Query): Query =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, PASTED[name]?.(value) ?? value]))

const PASTED: Readonly<Record<string, (text: string) => string | undefined>> = {
  model: (text) => pastedId(text, "model"),
  version: (text) => pastedId(text, "version"),
  owner: pastedUsername,
  map: pastedBoard,
  vs: (text) => {
    const ids = text.split(/[\s,;]+/).flatMap((one) => pastedId(one, "model") ?? [])
    return ids.length === 2 ? ids.join(",") : undefined
  }
}

/** The query as the API takes it. */
export const read = (query: Query) => decode(asked(query))

/** The fields whose values may be wrong: the label of each, and what it takes. */
const TAKES: Readonly<Record<string, readonly [label: string, takes: string]>> = {
  sort: ["Sort by", Sort.literals.join(", ")],
  ladder: ["Made for the ladder", ladders.join(", ")],
  class: ["A model of class", ladders.join(", ")],
  model: ["Model", "the address of a model's page, or the id in it"],
  version: ["Version", "the address of a version's page, or the id in it"],
  outcome: ["Its outcome (of an owner, model or version)", Outcome.literals.join(", ")],
  vs: ["Two models that met", "the addresses of two models' pages, or their ids, with a comma between"],
  players_min: ["Seats, at least", "a whole number from 1 to 8"],
  players_max: ["Seats, at most", "a whole number from 1 to 8"],
  since: ["Played since (UTC)", "a day, such as 2026-11-23"],
  top: ["With one of the best (how many)", "a whole number from 1 to 1000"]
}

/** Names of the fields whose values are wrong by themselves. */
const wrongIn = (query: Query): ReadonlyArray<string> =>
  Object.entries(query).flatMap(([name, value]) => {
    const whose = name === "outcome" ? { owner: "somebody" } : {}
    return name in TAKES && Exit.isFailure(read({ ...whose, [name]: value })) ? [name] : []
  })

type Field = readonly [query: Query, wrong: ReadonlyArray<string>]

const marked = (name: string, wrong: ReadonlyArray<string>) => wrong.includes(name) && html` aria-invalid="true" aria-describedby="refusal"`

const field = ([query, wrong]: Field, name: string, label = TAKES[name]![0], attributes: Html | "" = ""): Html =>
  html`<label>${label}<input name="${name}" value="${query[name]}"${marked(name, wrong)} ${attributes} autocomplete="off"></label>\n`

const choice = ([query, wrong]: Field, name: string, values: ReadonlyArray<string>, none?: string, label = TAKES[name]![0]): Html =>
  html`<label>${label}<select name="${name}"${marked(name, wrong)}>${none !== undefined && html`<option value="">${none}</option>`}${values.map(
    (value) => html`<option${value === query[name] && html` selected`}>${value}</option>`
  )}</select></label>\n`

const id = html`placeholder="address or id"`
const players = html`type="number" min="1" max="8"`

/** It is open where it says something: the list below is what people come for. */
export const form = (at: Places, query: Query, games: ReadonlyArray<string>): Html => {
  const of: Field = [query, wrongIn(query)]
  const since: Field = [{ since: (query["since"] ?? "").slice(0, 10) }, of[1]]
  return html`<details${Object.keys(query).length > 0 && html` open`}>
<summary>Filter and sort</summary>
<form class="filter" method="get" action="${at.matches()}" aria-label="Filter">
${choice(of, "sort", Sort.literals)}${choice(of, "game", games, "any", "Game")}${field(of, "season", "Season")}${choice(of, "ladder", ladders, "any")}${choice(of, "class", ladders, "any")}${field(of, "map", "Board")}${field(of, "owner", "Owner")}${field(of, "model", undefined, id)}${field(of, "version", undefined, id)}${choice(of, "outcome", Outcome.literals, "any")}${field(of, "vs", undefined, html`placeholder="two, with a comma"`)}${field(of, "players_min", undefined, players)}${field(of, "players_max", undefined, players)}${field(since, "since", undefined, html`type="date"`)}${field(of, "top", undefined, html`type="number" min="1" max="1000"`)}<button>Show</button>
</form>
</details>`
}

/** Which fields take the query only with another value, and what they take. */
export const refusal = (query: Query): Html => {
  const wrong = wrongIn(query)
  const { model, outcome, owner, version } = query
  const sentences = wrong.map((name) => `“${TAKES[name]![0]}” takes ${TAKES[name]![1]}.`)
  if (wrong.length > 0) return html`<div role="alert" class="bad" id="refusal">${sentences.map((each) => html`<p>${each}</p>`)}</div>`
  return html`<p role="alert" class="bad" id="refusal">${
    outcome !== undefined && (owner ?? model ?? version) === undefined
      ? "An outcome is somebody's: name an owner, a model or a version."
      : "A value in the address is not one that this page takes."
  }</p>`
}
