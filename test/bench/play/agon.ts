/** Runners at a season's mailbox. Every reply they count was sent after the commit of what it says. */

import type { Command, Work } from "@agon/domain/season/Command.ts"
import * as Mailbox from "@agon/server/actor/Mailbox.ts"
import { Effect } from "effect"
import { id, lease, report } from "../../support/SeasonScript.ts"
import type { Contestant } from "./contestant.ts"

/** How a runner asks: leases and results apart, or the results of what it has in the request for more. */
export interface Manner {
  readonly name: string
  readonly max: number
  readonly carried: boolean
}
export const MANNERS = [
  { name: "agon, one at a time", max: 1, carried: false },
  { name: "agon, results carried, one at a time", max: 1, carried: true },
  { name: "agon, results carried, ten at a time", max: 10, carried: true }
] as const satisfies ReadonlyArray<Manner>

/** A runner that was given nothing, because too much of the ladders is being played, asks again then. */
const IDLE = "1 millis"

export const agon = (mailbox: Mailbox.Mailbox, { carried, max, name }: Manner): Contestant => ({
  name,
  start: async (runners) => {
    let playing = true
    let cycles = 0
    const play = (n: number) =>
      Effect.gen(function* () {
        const key = id("key", 1)
        const more = lease({ runner: id("runner", n), key, max, admissions: false })
        let works: ReadonlyArray<Work> = []
        while (playing || works.length > 0) {
          const results: ReadonlyArray<Command> = works.map((work, i) => report(work, key, (n + i) % 2))
          const commands: ReadonlyArray<Command> = !playing || (!carried && works.length > 0) ? results : [...results, more]
          const replies = yield* Mailbox.askAll(mailbox, commands)
          cycles += works.length
          works = commands.at(-1) === more ? (replies.at(-1) as ReadonlyArray<Work>) : []
          if (commands.length === 1 && commands[0] === more && works.length === 0) yield* Effect.sleep(IDLE)
        }
      })
    const all = Array.from({ length: runners }, (_, i) => Effect.runPromise(play(i + 1)))
    const stop = async () => {
      playing = false
      await Promise.all(all)
    }
    return { cycles: () => cycles, stop }
  }
})
