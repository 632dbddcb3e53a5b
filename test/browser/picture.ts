/**
 * Makes a picture of docs/images from the running program: the demonstration season plays, then Debian's Chromium draws the page in a
 * window of the picture's size and in light colours.
 *
 *   node test/browser/picture.ts FILE PATH HEIGHT [matches, 600]
 *   node test/browser/picture.ts docs/images/ladder.png /games/snakes/seasons/demo/ladders/open 815
 */
import { restedDemo } from "../e2e/restedDemo.ts"
import * as Service from "../e2e/Service.ts"
import { Chromium, missingChromium } from "../support/Chromium.ts"

/** Of all pictures but the phone's. */
const WIDTH = 1_100

const [file, path, height, matches = "600"] = process.argv.slice(2)

const main = async (file: string, path: string, height: number) => {
  const origin = await restedDemo(Number(matches), 2)
  const chromium = await Chromium.launch()
  const { page } = await chromium.open(`${origin}${path}`, { viewport: { width: WIDTH, height }, colorScheme: "light" })
  await page.screenshot({ path: file })
  await chromium.close()
}

const missing = missingChromium()
if (missing !== undefined) console.log(`no picture: ${missing}`)
else if (file === undefined || path === undefined || height === undefined)
  console.log("node test/browser/picture.ts FILE PATH HEIGHT [matches]")
else await main(file, path, Number(height)).finally(Service.cleanUp)
