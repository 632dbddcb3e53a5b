/** Rounds and finals of a season with their clock. The platform's administrators plan them; others see the one in play and the next. */
import type { PageQuery } from "@agon/api/Pages.ts"
import { PlanRound, type Round } from "@agon/api/season/rounds.ts"
import type { RoundKind, Season } from "@agon/api/season/Season.ts"
import { Effect } from "effect"
import { type Html, html } from "../html/Html.ts"
import { table } from "../html/table.ts"
import { counted, time } from "../html/words.ts"
import { confirmedButton } from "../http/form/buttons.ts"
import { constraintsOf } from "../http/form/constraints.ts"
import type { Tried } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import { clock } from "../season/parts.ts"
import { instantOf, numberOf, type OfSeason, seasonForm } from "./forms.ts"
import { seasonAdminPage } from "./guard.ts"
import { move, moveAt, moving, nameOf } from "./moveRound.ts"

const STATES: Readonly<Record<Round["state"], string>> = {
  pending: "to come",
  current: "being played",
  over: "over",
  withdrawn: "withdrawn"
}

const plan = seasonForm("rounds", {
  name: "plan",
  fields: ["kind", "games", "starts_at"],
  send: ({ client, of, typed }) =>
    client.round.planRound({
      params: of,
      payload: {
        kind: typed.one("kind") as RoundKind,
        games: numberOf(typed.one("games")),
        starts_at: instantOf(typed.one("starts_at"))
      }
    })
})

const withdraw = seasonForm("rounds", {
  name: "withdraw",
  fields: ["n"],
  send: ({ client, of, typed }) => client.round.patchRound({ params: { ...of, n: typed.one("n") }, payload: { withdrawn: true } })
})

const row =
  (of: OfSeason, page: PageQuery, isOver: boolean) =>
  (round: Round): Html => {
    const { ended_at, games, kind, n, started_at, starts_at, state } = round
    return html`<tr>
<th scope="row">${nameOf(round)}</th>
<td>${state === "pending" && isOver ? "not played" : STATES[state]}</td>
<td>${counted(games, "match", "matches")}<span class="unit"> of each model on each of its ladders</span></td>
<td><span class="unit">from </span>${time(started_at ?? starts_at)}</td>
<td>${ended_at !== null && html`<span class="unit">until </span>${time(ended_at)}`}</td>
<td>${state === "pending" && !isOver && html`<a class="do" href="${moveAt(of, n, page)}" aria-label="Move: ${nameOf(round)}">Move</a> ${confirmedButton(withdraw, { n: String(n) }, "Withdraw", kind === "finals" ? "the finals" : `round ${n}`, "It is not played, and does not come back: plan another.")}`}</td>
</tr>
`
  }

const HEADINGS = ["Round", "State", "Matches of each model on each of its ladders", "Start", "End", "Change"]

const over = ({ state }: Season): Html =>
  html`<p>The season is ${state === "closed" ? "closed" : "closing"}: no round is planned any more.</p>`

const limits = constraintsOf(PlanRound)
const KINDS: ReadonlyArray<{ readonly value: RoundKind; readonly label: string }> = [
  { value: "round", label: "a round" },
  { value: "finals", label: "the finals" }
]

const planForm = (tried: Tried | undefined): Html => {
  const { choice, text, whole } = inputs(plan, tried)
  return whole(
    html`${choice("kind", "Plan", KINDS, { hint: "No version enters once the finals have started." })}${text("games", "Matches of each model on each of its ladders", { more: limits("games") })}${text("starts_at", "Start, in UTC", { hint: "In the future.", more: limits("starts_at") })}`,
    "Plan",
    "Plan a round"
  )
}

/** Nothing comes after the finals, played or to come. */
const hasFinals = ({ next_round, round }: Season, rounds: ReadonlyArray<Round>): boolean =>
  round?.kind === "finals" || next_round?.kind === "finals" || rounds.some(({ kind, state }) => kind === "finals" && state !== "withdrawn")

const planning = (season: Season, rounds: ReadonlyArray<Round>, tried: Tried | undefined): Html =>
  hasFinals(season, rounds)
    ? html`<p>No round comes after the finals.${rounds.some(({ kind, state }) => kind === "finals" && state === "pending") && " To plan another before they start, withdraw the finals first."}</p>`
    : html`<h2>Plan a round</h2>\n${planForm(tried)}`

export const seasonRounds = seasonAdminPage({
  part: "rounds",
  query: ["round", "cursor"],
  forms: [plan, move],
  buttons: [withdraw],
  render: Effect.fnUntraced(function* ({ account, client, links, of, page, query, season, tried }) {
    const list = account.admin ? yield* client.round.rounds({ params: of, query: page }) : undefined
    const isOver = season.close_requested_at !== null || season.state === "closed"
    const planned =
      list === undefined
        ? isOver
          ? over(season)
          : html`<p>The platform's administrators plan rounds.</p>`
        : html`${table("Rounds", HEADINGS, list.rounds.map(row(of, page, isOver)), "No round has been planned.")}
${links(list.next_cursor)}
${isOver ? over(season) : html`${moving(list.rounds, query["round"], tried)}${planning(season, list.rounds, tried)}`}`
    return html`<h2>Rounds and finals</h2>
<p>At the start of a round every rating returns to 1500. When every model has its matches in the finals, the season closes by itself.</p>
${yield* clock(season)}
${planned}`
  })
})
