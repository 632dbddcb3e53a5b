/** Commands of the tool, to be copied into a terminal. They name the service: the tool knows it only after a sign-in. */
import { type Html, html } from "../html/Html.ts"
import { inPrivate, type Places } from "../html/links.ts"

interface ToExamine {
  readonly game: string
  readonly season: string
  /** Of the service, as people reach it. */
  readonly origin: string
  /** Where the season is shown. */
  readonly at: Places
}

/** Examines two files by the rules of a season, of which the tool reads a private one only for somebody who takes part in it. */
export const examineCommand = ({ at, game, origin, season }: ToExamine): Html =>
  html`${at === inPrivate && html`After <code>agon login --url ${origin}</code>, `}<code>agon examine policy.onnx policy.json --game ${game} --season ${season} --url ${origin}</code>`
