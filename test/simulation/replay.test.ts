import { createHash } from "node:crypto"
import type { Command, Work } from "@agon/domain/season/Command.ts"
import { freshHead } from "@agon/domain/season/Head.ts"
import { step } from "@agon/domain/season/Season.ts"
import { restore, type State, snapshot } from "@agon/domain/season/State.ts"
import { committed } from "@agon/domain/season/Writes.ts"
import { assert, it } from "@effect/vitest"
import { board, id, lease, report, settings, submit } from "../support/SeasonScript.ts"
import { slow } from "../support/slow.ts"

/** A season of so many matches on the machine alone: everything it wrote, hashed, and the time it took. */
const played = (entries: number, matches: number) => {
  const season = settings({ submissions_open_at: 0 })
  const empty = { versions: [], left: [], owners: [], ratings: [], boards: [], rounds: [], live: [], reviews: [], voiding: [] }
  const state = restore({ id: id("season", 1), head: freshHead(), settings: season, ...empty })
  const hash = createHash("sha256")
  let now = 1
  const say = <A>(command: Command): A => {
    const reply = step(state, command, now)
    write(hash, state)
    committed(state)
    return reply as A
  }
  for (const command of board("plain")) say(command)
  for (let n = 1; n <= entries; n++) say(submit(n))
  const request = lease({ max: 16 })
  const enter = (works: ReadonlyArray<Work>): void => works.forEach((work) => say(report(work)))
  while (state.testing > 0) enter(say(request))
  const [before, started] = [state.rated, performance.now()]
  for (let open: ReadonlyArray<Work> = []; state.rated - before < matches; now += 25) {
    for (const work of open) say(report(work, undefined, work.kind === "match" ? work.seed % 2 : 0))
    open = say(request)
  }
  const elapsed_s = (performance.now() - started) / 1_000
  return { digest: hash.update(JSON.stringify(snapshot(state))).digest("hex"), per_s: Math.round((state.rated - before) / elapsed_s) }
}

const write = (hash: ReturnType<typeof createHash>, { writes: { ended } }: State): void => {
  for (const match of ended) hash.update(JSON.stringify(match))
}

const sizes: ReadonlyArray<number> = slow ? [5_000, 100_000] : [5_000]
for (const matches of sizes) {
  it(`a season of ${matches} matches among 1,000 entries replays bit for bit`, { timeout: 900_000 }, () => {
    const [first, second] = [played(1_000, matches), played(1_000, matches)]
    console.log(`${matches} matches: ${first.per_s} and ${second.per_s} matches/s`)
    assert.strictEqual(first.digest, second.digest)
  })
}
