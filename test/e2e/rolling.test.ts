/**
 * A rolling upgrade and the way back, with the programs of two releases (OlderRelease.ts) on one
 * database, behind nginx, while matches are played: nodes of the older release beside those of this one,
 * and a runner of each. Every season is hosted by both, asked through both, and nothing is rated twice,
 * lost, or said and taken back.
 */
import { setTimeout as pause } from "node:timers/promises"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { MIGRATION_NUMBERS } from "@agon/server/database/migrate.ts"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { eventuallyAsync } from "../support/eventually.ts"
import { inCi, leftOut } from "../support/slow.ts"
import * as Competition from "./Competition.ts"
import { missingNginx } from "./Nginx.ts"
import * as Nodes from "./Nodes.ts"
import { checkOut, missingOlderRelease, type OlderRelease } from "./OlderRelease.ts"
import { notCounted, type Program } from "./Program.ts"
import { type Season, Seasons } from "./Seasons.ts"
import type { Visitor } from "./Visitor.ts"

const SLUGS = ["spring", "summer"]
const BOARDS = ["open-7"]
const BASELINES = ["straight-on", "careless", "random-safe"]
/** Seasons without play, made until each release hosts one. */
const QUIET_MAX = 12
/**
 * Until nginx trusts a node again that it found away (`fail_timeout`), which whoever
 * restarts nodes in turn waits for.
 */
const NGINX_FORGETS_MS = 2_200
const map_id = snakesBoards[0]!.map_id

const missing = leftOut("two releases play side by side: two minutes") ?? missingNginx() ?? missingOlderRelease()
const figures: Array<string> = []
const note = (figure: string) => figures.push(figure)

it.skipIf(!inCi)("the older release runs on the packages that are installed here, so that what follows is not left out for good", () => {
  assert.notInclude(missingOlderRelease() ?? "", "needs other packages")
})

describe.skipIf(missing !== undefined)(`two releases side by side${missing === undefined ? "" : `: ${missing}`}`, () => {
  let older: OlderRelease
  let world: Nodes.World
  let seasons: Seasons
  let boss: Visitor
  let key: string
  const admins = new Map<string, Visitor>()
  const runners: Array<Program> = []
  const node = (i: number) => world.nodes[i]!

  const applied = async () =>
    (await world.query<{ n: number }>("SELECT migration_id AS n FROM agon_migration ORDER BY 1")).map(({ n }) => n)

  beforeAll(async () => {
    older = checkOut()
    world = await Nodes.start(3, { environment: {}, apart: false, root: older.root, running: 2 })
    for (const name of ["admin", "boss", ...SLUGS]) admins.set(name, await world.signedIn(name))
    await world.query("UPDATE account SET admin = true") // each writes at a rate of its own
    boss = admins.get("boss")!
    key = (await admins.get("admin")!.post("/v1/runner-keys", { name: "fleet" })).key
    runners.push(world.runner(key, 1, older.root))
    const administered = new Map(SLUGS.map((slug) => [slug, admins.get(slug)!]))
    seasons = await Seasons.open(world, administered, { boards: BOARDS, baselines: BASELINES })
  }, 300_000)

  afterAll(async () => {
    await seasons?.stop()
    await world?.end()
    older?.remove()
    if (figures.length > 0) console.log(figures.join("\n"))
  }, 60_000)

  /** Both runners have had matches counted that were made from here on. */
  const bothPlay = async () => {
    const [{ now }] = (await world.query<{ now: string }>("SELECT now()::text AS now")) as [{ now: string }]
    const players = "SELECT count(DISTINCT runner_id)::int AS n FROM match WHERE status = 'rated' AND created_at > $1"
    await eventuallyAsync("a rated match of each runner", async () => (await world.query<any>(players, [now]))[0].n === runners.length)
  }

  const quiet: Array<Season> = []
  const ownersOfQuiet = () => Promise.all(quiet.map((season) => seasons.ownerOf(season)))

  /** A season of its own hosted by each release: made until there is one. */
  const hostedByBoth = async (newer: Nodes.Node) => {
    const areHosted = async () => {
      const owners = await ownersOfQuiet()
      return owners.includes(newer) && owners.some((owner) => owner !== newer)
    }
    for (let n = 1; n <= QUIET_MAX; n++) {
      if (await areHosted()) return
      await Competition.create(boss, `quiet-${n}`)
      await boss.post(`${Competition.pathOf(`quiet-${n}`)}/maps`, snakesBoards[0])
      quiet.push(...(await world.query<Season>("SELECT id, slug FROM season WHERE slug = $1", [`quiet-${n}`])))
    }
    // On a busy machine it takes a while until a node that has joined is given its share.
    await eventuallyAsync(`each release hosts one of ${QUIET_MAX} seasons`, areHosted)
  }

  /** Commands to each season through each node, whoever hosts it, each seen at every node. */
  const commanded = async (running: ReadonlyArray<Nodes.Node>) => {
    const stateAt = async (at: Nodes.Node, { slug }: Season) =>
      (await boss.at(at.origin).get(`${Competition.pathOf(slug)}/maps`)).maps.find((map: any) => map.map_id === map_id).enabled
    for (const season of quiet) {
      for (const through of running) {
        const enabled = !(await stateAt(through, season))
        await Competition.switchBoard(boss.at(through.origin), map_id, enabled, season.slug)
        for (const at of running) {
          await eventuallyAsync(`the write at ${at.address}`, async () => (await stateAt(at, season)) === enabled)
        }
      }
    }
  }

  /**
   * The older release empties the folder of partial files when it starts, and ends where another
   * node writes to it just then.
   */
  const startedAgain = async (node: Nodes.Node) => {
    for (let tries = 1; ; tries++) {
      const error = await node.start(older.root).then(
        () => undefined,
        (error: Error) => error
      )
      if (error === undefined) return
      if (tries === 5 || !error.message.includes("ENOTEMPTY")) throw error
    }
  }

  it("begin with the older one alone, on its own schema", async () => {
    assert.deepStrictEqual(await applied(), [...older.migrations])
    assert.notDeepEqual([...older.migrations], [...MIGRATION_NUMBERS], "it is an older one")
    await seasons.goOn(2)
  })

  it("play on while a node of this one migrates the database and joins", async () => {
    const before = await seasons.progress()
    await node(2).start()
    assert.deepStrictEqual(await applied(), [...MIGRATION_NUMBERS])
    await seasons.goOn(2, before)
    await pause(NGINX_FORGETS_MS)
    await seasons.goOn()
  })

  it("have runners of both, which play for both", async () => {
    runners.push(world.runner(key, 1))
    await bothPlay()
  })

  it("command each other's seasons", async () => {
    await hostedByBoth(node(2))
    note(`${quiet.length} seasons without play are hosted by both releases`)
    await commanded(world.nodes)
  })

  it("play on when the older nodes go, one stopped and one killed", async () => {
    node(0).signal("SIGTERM")
    await node(0).stopped()
    await seasons.goOn()
    await commanded([node(1), node(2)])
    const before = await seasons.progress()
    node(1).signal("SIGKILL")
    await seasons.goOn(2, before)
    await bothPlay()
  })

  it("go back: the older one's nodes start on the newer schema, and this one's goes", async () => {
    await startedAgain(node(0))
    await pause(NGINX_FORGETS_MS)
    await seasons.goOn()
    await commanded([node(0), node(2)])
    node(2).signal("SIGTERM")
    await node(2).stopped()
    await seasons.goOn(2)
    await bothPlay()
    assert.deepStrictEqual(await applied(), [...MIGRATION_NUMBERS])
  })

  it("have rated every match once, and their ratings are what the log makes of it", async () => {
    await seasons.addUp(admins, note)
    assert.deepStrictEqual(
      runners.flatMap((runner) => notCounted(runner)),
      []
    )
  })
})
