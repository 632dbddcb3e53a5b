/**
 * A podium is final, so a season that closes waits until its results are checked, down to the last (clock/Closing.ts).
 *
 * its number of results, as committed ─▶ page after page, the matches after its row of progress, each once
 *   ─▶ all are checked, and the false ones voided: the season is told the number, and freezes unless more have come
 *   ─▶ one could not be checked: the next look begins again, as long as the season waits
 *
 * The number is read before the matches, and a result is written with its match, so none of that number can be missed. The order of
 * their ends would not do for that: two commits may fall into one millisecond. The row of progress is left to ReplayCheck.ts, which
 * checks some of these matches again: that changes nothing. It has its own thread, so that no season waits for the check of others
 * that go on.
 */

import { seldom } from "@agon/api/program/seldom.ts"
import { Effect } from "effect"
import { LocalMailboxes } from "../../actor/LocalMailboxes.ts"
import * as Mailbox from "../../actor/Mailbox.ts"
import { makeCheckMatch } from "./checkMatch.ts"
import { makeQueries, type Place } from "./checkQueries.ts"
import type { Drawn } from "./drawn.ts"
import { FAILURES_MAX, inTurns, PAGE } from "./inTurns.ts"

/** Later than every match ended. */
const ALL = new Date("9999-01-01")

interface Closing {
  readonly checked: Set<string>
  /** From the first match to the last. */
  pass: { readonly played: number; after: Place | null; failed: number } | undefined
}

export const makeLookAtClosing = Effect.fnUntraced(function* (drawn: Drawn) {
  const check = yield* makeCheckMatch(drawn)
  const queries = yield* makeQueries
  const mailboxes = yield* LocalMailboxes
  const unchecked = seldom("the results of a closing season were not checked")
  const seasons = new Map<string, Closing>()

  /** Whether there is another page. */
  const page = Effect.fnUntraced(function* (season_id: string, played: number, mailbox: Mailbox.Mailbox) {
    const season = seasons.get(season_id) ?? { checked: new Set(), pass: undefined }
    seasons.set(season_id, season)
    const pass = (season.pass ??= { played, after: null, failed: 0 })
    const matches = yield* queries.next({ season_id, until: ALL, limit: PAGE, after: pass.after })
    for (const match of matches) {
      pass.after = { ended_at: match.ended_at, id: match.id }
      if (season.checked.has(match.id)) continue
      const exit = yield* Effect.exit(check(season_id, match))
      if (exit._tag === "Success") season.checked.add(match.id)
      else {
        pass.failed++
        yield* unchecked({ reason: season_id, fields: { season: season_id, match: match.id }, cause: exit.cause })
      }
      if (pass.failed >= FAILURES_MAX) break
    }
    const more = matches.length === PAGE && pass.failed < FAILURES_MAX
    if (!more) season.pass = undefined
    if (!more && pass.failed === 0) yield* Effect.ignore(Mailbox.ask(mailbox, { _tag: "ReplaysChecked", played: pass.played }))
    return more
  })

  const waiting = Effect.gen(function* () {
    const here = (yield* queries.closing()).flatMap(({ id, played }) => {
      const mailbox = mailboxes.get(id)
      return mailbox === undefined ? [] : [{ id, page: page(id, played, mailbox) }]
    })
    const ids = new Set(here.map(({ id }) => id))
    for (const id of seasons.keys()) if (!ids.has(id)) seasons.delete(id)
    return here
  })
  return Effect.withSpan(inTurns(unchecked, waiting), "ReplayCheck.lookAtClosing")
})
