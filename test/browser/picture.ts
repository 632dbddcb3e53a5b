/**
 * Makes pictures of docs/images from the running program: the demonstration season plays, then Debian's
 * Chromium draws each page in a window of the picture's height. A file named `…-dark.png` is in dark
 * colours, `phone.png` on a narrow screen. MATCH in a path is the longest match on the board torus-15, MODEL
 * the second of the open ladder.
 *
 *   node test/browser/picture.ts (FILE PATH HEIGHT)... [matches, 600]
 *   node test/browser/picture.ts docs/images/ladder.png /games/snakes/seasons/demo/ladders/open 870
 *   node test/browser/picture.ts docs/images/match-dark.png /matches/MATCH#turn=60 1000 docs/images/model.png /models/MODEL 1000
 */
import { basename } from "node:path"
import { restedDemo } from "../e2e/restedDemo.ts"
import * as Service from "../e2e/Service.ts"
import { Visitor } from "../e2e/Visitor.ts"
import { Chromium, missingChromium } from "../support/Chromium.ts"

const WIDTH = 1_100
const PHONE_WIDTH = 400

interface Picture {
  readonly file: string
  readonly path: string
  readonly height: number
}

const words = process.argv.slice(2)
const matches = words.length % 3 === 1 ? Number(words.pop()) : 600
const pictures = Array.from({ length: Math.floor(words.length / 3) }, (_, i): Picture => {
  const [file, path, height] = words.slice(3 * i)
  return { file: file!, path: path!, height: Number(height) }
})

/** Ids of the season, by the words that stand for them. */
const idsOf = async (visitor: Visitor) => {
  const longest = await visitor.ask("GET", "/v1/matches?season=demo&map=torus-15&sort=longest&limit=1")
  const ladder = await visitor.ask("GET", "/v1/games/snakes/leaderboard?season=demo&ladder=open&limit=2")
  return [
    ["MATCH", longest.json.matches[0]?.id],
    ["MODEL", ladder.json.entries[1]?.model_id]
  ] as const
}

const draw = async (chromium: Chromium, address: string, { file, height }: Picture) => {
  const width = basename(file) === "phone.png" ? PHONE_WIDTH : WIDTH
  const colorScheme = file.endsWith("-dark.png") ? "dark" : "light"
  const { page } = await chromium.open(address, { viewport: { width, height }, colorScheme })
  if (address.includes("#turn=")) await page.locator("agon-replay .verdict strong").waitFor()
  await page.screenshot({ path: file })
}

const main = async () => {
  const origin = await restedDemo(matches, 2)
  const ids = await idsOf(new Visitor(origin))
  const chromium = await Chromium.launch()
  for (const picture of pictures) {
    await draw(chromium, `${origin}${ids.reduce((path, [word, id]) => path.replace(word, id), picture.path)}`, picture)
  }
  await chromium.close()
}

const missing = missingChromium()
if (missing !== undefined) console.log(`no picture: ${missing}`)
else if (pictures.length === 0 || words.length % 3 !== 0) console.log("node test/browser/picture.ts (FILE PATH HEIGHT)... [matches]")
else await main().finally(Service.cleanUp)
