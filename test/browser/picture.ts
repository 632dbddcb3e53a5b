/**
 * Makes the pictures of docs/images from the running program: the demonstration season plays, then Debian's Chromium draws each page.
 *
 *   node test/browser/picture.ts                              all of them
 *   node test/browser/picture.ts ladder.png match-dark.png    these
 *   AGON_URL=http://localhost:8080 node test/browser/picture.ts    from the demonstration season that plays there
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { restedDemo } from "../e2e/restedDemo.ts"
import * as Service from "../e2e/Service.ts"
import { Visitor } from "../e2e/Visitor.ts"
import { Chromium, missingChromium } from "../support/Chromium.ts"
import { paletted } from "./paletted.ts"

const DIRECTORY = join(import.meta.dirname, "../../docs/images")
const MATCHES = 600

const DESKTOP = 1_100
const PHONE = 400
const SEASON = "/games/snakes/seasons/demo"

interface Picture {
  readonly path: string
  readonly width: number
  readonly height: number
  readonly dark?: true
}

/** MATCH is the longest match on the board torus-15, MODEL the second of the open ladder. */
const PICTURES: Readonly<Record<string, Picture>> = {
  // Before home.png, which shows the same last position: who asks first for one may see the first position instead.
  "season.png": { path: SEASON, width: DESKTOP, height: 1_000 },
  "home.png": { path: "/", width: DESKTOP, height: 900 },
  "ladder.png": { path: `${SEASON}/ladders/open`, width: DESKTOP, height: 870 },
  "matches.png": { path: "/matches?season=demo&sort=longest", width: DESKTOP, height: 900 },
  "match.png": { path: "/matches/MATCH#turn=60", width: DESKTOP, height: 1_000 },
  "match-dark.png": { path: "/matches/MATCH#turn=60", width: DESKTOP, height: 1_000, dark: true },
  "model.png": { path: "/models/MODEL", width: DESKTOP, height: 1_000 },
  "board.png": { path: `${SEASON}/boards/torus-15`, width: DESKTOP, height: 900 },
  "phone.png": { path: "/matches/MATCH#turn=60", width: PHONE, height: 900 },
  "phone-ladder.png": { path: `${SEASON}/ladders/open`, width: PHONE, height: 900 }
}

/** Ids of the season, by the words that stand for them. */
const idsOf = async (visitor: Visitor) => {
  const longest = await visitor.ask("GET", "/v1/matches?season=demo&map=torus-15&sort=longest&limit=1")
  const ladder = await visitor.ask("GET", "/v1/games/snakes/leaderboard?season=demo&ladder=open&limit=2")
  return [
    ["MATCH", longest.json.matches[0]?.id],
    ["MODEL", ladder.json.entries[1]?.model_id]
  ] as const
}

const draw = async (chromium: Chromium, address: string, { dark, height, width }: Picture) => {
  const options = { viewport: { width, height }, colorScheme: dark ? "dark" : "light", isMobile: width === PHONE } as const
  const watched = await chromium.open(address, options)
  if (address.includes("#turn=")) await watched.page.locator("agon-replay .verdict strong").waitFor()
  const screenshot = await watched.page.screenshot()
  await watched.close()
  return screenshot
}

const main = async (names: ReadonlyArray<string>) => {
  const origin = process.env["AGON_URL"] ?? (await restedDemo(MATCHES, 2))
  const ids = await idsOf(new Visitor(origin))
  const chromium = await Chromium.launch()
  const empty = await chromium.blank()
  for (const name of names) {
    const picture = PICTURES[name]!
    const path = ids.reduce((path, [word, id]) => path.replace(word, id), picture.path)
    writeFileSync(join(DIRECTORY, name), await paletted(empty, await draw(chromium, origin + path, picture)))
  }
  await chromium.close()
}

const asked = process.argv.slice(2)
const names = asked.length === 0 ? Object.keys(PICTURES) : asked
const unknown = names.filter((name) => PICTURES[name] === undefined)
const missing = missingChromium()
if (missing !== undefined) console.log(`no picture: ${missing}`)
else if (unknown.length > 0) console.log(`no picture is called ${unknown.join(", ")}; there are ${Object.keys(PICTURES).join(", ")}`)
else await main(names).finally(Service.cleanUp)
