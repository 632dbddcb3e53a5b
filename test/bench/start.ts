/**
 * From `scripts/start` on an empty directory, after an installation, to the first answer, to a signed-in administrator,
 * and to the first rated match of a season made over HTTP (one board, three models to be reviewed); the same start on
 * data that is there, and on a second empty directory; and what somebody sees who starts it without any configuration:
 * the demonstration season's first match.
 *
 *   node test/bench/start.ts [rounds, 3]
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import * as Competition from "../e2e/Competition.ts"
import * as Service from "../e2e/Service.ts"
import { Visitor } from "../e2e/Visitor.ts"
import { eventuallyAsync } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"

const [rounds = "3"] = process.argv.slice(2)
const BOARDS = ["open-7"]
const BASELINES = ["straight-on", "careless", "random-safe"]

const since = (began: number) => (performance.now() - began) / 1000
const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[values.length >> 1]!

/** As `scripts/install` leaves it: with a prepared database that a start may move to its place. */
const installed = () => execFileSync(process.execPath, [join(import.meta.dirname, "../../packages/server/src/prepare.ts")])

/** The seconds to the first answer of a service that is then stopped. */
const firstAnswer_s = async (): Promise<number> => {
  const options = { directory: Service.newDirectory(), port: await freePort() }
  const began = performance.now()
  const service = await Service.start(options)
  const answer_s = since(began)
  process.kill(service.pid, "SIGTERM")
  await service.ended
  await Service.cleanUp()
  return answer_s
}

const round = async () => {
  installed()
  const options = { directory: Service.newDirectory(), port: await freePort() }
  const began = performance.now()
  const service = await Service.start(options)
  const answer_s = since(began)
  const admin = await Visitor.signedIn(service.origin, "admin")
  const signedIn_s = since(began)
  await Competition.open(admin, { boards: BOARDS, baselines: BASELINES })
  const reviewed_s = since(began)
  await Competition.rated(admin, 1)
  const rated_s = since(began)
  const stopping = performance.now()
  process.kill(service.pid, "SIGTERM")
  await service.ended
  const stop_s = since(stopping)
  const again = performance.now()
  await Service.start(options)
  const again_s = since(again)
  const before = await Competition.ratedSoFar(admin)
  await Competition.rated(admin, before + 1)
  const plays_s = since(again)
  await Service.cleanUp()
  const second_s = await firstAnswer_s()
  const demo_s = await demonstration()
  return { answer_s, second_s, signedIn_s, reviewed_s, rated_s, stop_s, again_s, plays_s, demo_s }
}

const demonstration = async () => {
  const began = performance.now()
  const options = { directory: Service.newDirectory(), port: await freePort(), runners: 1, environment: { AGON_DEMO: "1" } }
  const visitor = new Visitor((await Service.start(options)).origin)
  await eventuallyAsync("a match of the demonstration season", async () => {
    const { json, status } = await visitor.ask("GET", "/v1/matches?season=demo&limit=1")
    return status === 200 && json.total > 0
  })
  const demo_s = since(began)
  await Service.cleanUp()
  return demo_s
}

const titles: Record<keyof Awaited<ReturnType<typeof round>>, string> = {
  answer_s: "empty data to the first answer of /readyz",
  second_s: "... on a second empty directory",
  signedIn_s: "... to a session",
  reviewed_s: "... to three models reviewed and in play",
  rated_s: "... to the first rated match",
  stop_s: "SIGTERM to the end",
  again_s: "start on the same data to the first answer",
  plays_s: "... to the next rated match",
  demo_s: "empty data to the demonstration's first match"
}

const all = []
for (let i = 0; i < Number(rounds); i++) all.push(await round())
for (const [key, title] of Object.entries(titles) as ReadonlyArray<[keyof typeof titles, string]>) {
  const values = all.map((one) => one[key])
  const range = `${Math.min(...values).toFixed(1)}..${Math.max(...values).toFixed(1)}`
  console.log(`${title.padEnd(46)} ${median(values).toFixed(1).padStart(6)} s  (${range})`)
}
