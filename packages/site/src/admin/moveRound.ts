/** The form that gives a round to come another start, or another number of matches. Only what was typed anew is sent (editConflict.ts). */
import type { PageQuery } from "@agon/api/Pages.ts"
import { PatchRound, type Round } from "@agon/api/season/rounds.ts"
import { Effect } from "effect"
import { type Html, html } from "../html/Html.ts"
import { seasonAdminAt, withQuery } from "../html/links.ts"
import { constraintsOf } from "../http/form/constraints.ts"
import type { Tried } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import { editOf, isTyped, type Texts, triedAgain, unlessOvertaken, WAS, wasText } from "./editConflict.ts"
import { doneAt, instantOf, LeadsTo, localOf, numberOf, type OfSeason, seasonForm } from "./forms.ts"

export const nameOf = ({ kind, n }: Round) => (kind === "finals" ? "Finals" : `Round ${n}`)

const textsOf = ({ games, starts_at }: Round): Texts => ({ games: String(games), starts_at: localOf(starts_at) })

const FIELDS: ReadonlyArray<string> = [WAS, "n", "games", "starts_at"]

export const move = seasonForm("rounds", {
  name: "move",
  fields: FIELDS,
  send: Effect.fnUntraced(function* ({ client, of, typed }) {
    const n = Number(typed.one("n"))
    // Rounds are listed by their numbers, which begin at 1 and have no gap.
    const cursor = Number.isInteger(n) && n > 0 ? n - 1 : 0
    const { rounds } = yield* client.round.rounds({ params: of, query: { limit: 1, cursor } })
    const round = rounds.find((one) => one.n === n)
    const params = { ...of, n: typed.one("n") }
    if (round === undefined) return yield* client.round.patchRound({ params, payload: {} }) // which the service refuses
    const edit = editOf(typed, textsOf(round))
    if (round.state === "pending") yield* unlessOvertaken(edit, "the round") // the service refuses it otherwise
    const payload = {
      ...(isTyped(edit, "games") ? { games: numberOf(typed.one("games")) } : {}),
      ...(isTyped(edit, "starts_at") ? { starts_at: instantOf(typed.one("starts_at")) } : {})
    }
    if (Object.keys(payload).length > 0) yield* client.round.patchRound({ params, payload })
    return new LeadsTo({ to: doneAt(seasonAdminAt(of.game, of.slug, "rounds")) })
  })
})

/** The page of the list that shows a round, with the form that moves it. */
export const moveAt = ({ game, slug }: OfSeason, n: number, { cursor }: PageQuery): string =>
  `${withQuery(seasonAdminAt(game, slug, "rounds"), { round: n, cursor: cursor === 0 ? undefined : cursor })}#${move.name}`

const limits = constraintsOf(PatchRound)

/** The form for the round that the address names, as long as it is to come. */
export const moving = (rounds: ReadonlyArray<Round>, wanted: string | undefined, tried: Tried | undefined): Html | "" => {
  const round = rounds.find(({ n, state }) => String(n) === wanted && state === "pending")
  if (round === undefined) return ""
  const now = textsOf(round)
  const { hidden, text, whole } = inputs<string>(move, tried?.form === move.name ? triedAgain(tried, now) : undefined, now)
  return html`<h2>Move ${nameOf(round)}</h2>
${whole(
  html`${hidden(WAS, wasText(now))}${hidden("n", String(round.n))}${text("games", "Its matches of each model on each of its ladders", { more: html`${limits("games")} required` })}${text("starts_at", "Its start, in UTC", { hint: "In the future, and between the rounds before and after it.", more: html`${limits("starts_at")} required` })}`,
  "Move",
  "Move a round"
)}`
}
