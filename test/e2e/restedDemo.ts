/** A service whose demonstration season has played so many matches, and now rests. `Service.cleanUp` ends it. */
import { eventuallyAsync } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { retryPutOff } from "../support/putOff.ts"
import * as Service from "./Service.ts"
import { Visitor } from "./Visitor.ts"

/** A runner plays a match in about a second; on a busy machine it takes ten times as long. */
const PATIENCE_MS_PER_MATCH = 10_000

/** Answers its origin, with the site beside it. */
export const restedDemo = async (matches: number, runners = 1): Promise<string> => {
  const directory = Service.newDirectory()
  const port = await freePort()
  const environment = { AGON_DEMO: "1", AGON_SITE: "" }
  const played = await Service.start({ directory, port, runners, environment })
  const visitor = new Visitor(played.origin)
  const havePlayed = async () => {
    const { json, status } = await visitor.ask("GET", "/v1/matches?season=demo&limit=1")
    return status === 200 && json.total >= matches
  }
  await eventuallyAsync(`${matches} matches`, havePlayed, 120_000 + matches * PATIENCE_MS_PER_MATCH)
  process.kill(played.pid, "SIGTERM")
  await played.ended
  const service = await Service.start({ directory, port, runners: 0, environment })
  await retryPutOff("the site", () => fetch(`${service.origin}/news`))
  return service.origin
}
