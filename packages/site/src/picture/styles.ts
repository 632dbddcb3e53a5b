/**
 * The colours of pictures in the light and the dark scheme, whichever the page's `color-scheme` gives. Every piece has at least three
 * times the luminance contrast to its ground in both.
 */

/** The colours of seats 1 to 8, on a light and on a dark ground. */
export const SEAT_COLOURS: ReadonlyArray<readonly [light: string, dark: string]> = [
  ["#1f5fbf", "#6ea8ff"],
  ["#b93c0b", "#ff9466"],
  ["#0f7048", "#4fd39a"],
  ["#7a3fb0", "#c79bff"],
  ["#7d5800", "#e3b341"],
  ["#006b7a", "#46cbdc"],
  ["#ad2266", "#ff83b9"],
  ["#4a5260", "#b4bdca"]
]
export const GROUND_COLOURS = ["#f7f5ef", "#1b1f24"] as const
type Pair = readonly [light: string, dark: string]
const SNAKES = {
  ground: GROUND_COLOURS,
  line: ["#dedacd", "#2e343b"],
  solid: ["#6b6557", "#8d949e"],
  food: ["#b4232a", "#ff7b72"],
  number: ["#ffffff", "#11151a"]
} as const satisfies Record<string, Pair>
const OTHELLO = {
  ground: ["#3f7a4d", "#2c5a39"],
  line: ["#2f5d3a", "#1f4229"],
  solid: ["#1d3a25", "#14291a"]
} as const satisfies Record<string, Pair>
/** The discs of the first seat and of the second, in both schemes. */
const DISCS = ["#14171a", "#f8f9fa"] as const
const RIMS = ["#aeb6bf", "#14171a"] as const

const light = <Name extends string>(pairs: Readonly<Record<Name, Pair>>) =>
  Object.fromEntries(Object.entries<Pair>(pairs).map(([name, [colour]]) => [name, colour])) as Readonly<Record<Name, string>>

/** For pictures that have no scheme. */
export const COLOURS = { snakes: light(SNAKES), othello: { ...light(OTHELLO), discs: DISCS, rims: RIMS } }

const scheme = ([light, dark]: Pair) => `light-dark(${light},${dark})`

export const pictureStyles = `
.agon-picture{display:block;width:100%;height:auto;overflow:hidden;--ground:${scheme(SNAKES.ground)};--line:${scheme(SNAKES.line)};--solid:${scheme(SNAKES.solid)}}
.agon-picture.badge{display:inline-block;width:1.4em;height:1.4em;vertical-align:-.3em}
.agon-picture.othello{--ground:${scheme(OTHELLO.ground)};--line:${scheme(OTHELLO.line)};--solid:${scheme(OTHELLO.solid)}}
.agon-picture .ground{fill:var(--ground)}
.agon-picture .lines{fill:none;stroke:var(--line);stroke-width:1}
.agon-picture .wall{fill:var(--solid)}
.agon-picture .cross{fill:none;stroke:var(--ground);stroke-width:1;opacity:.6}
.agon-picture.unreadable .cross{stroke:var(--solid)}
.agon-picture .food circle{fill:${scheme(SNAKES.food)}}
.agon-picture .food path{fill:none;stroke:${scheme(["#0f7048", "#4fd39a"])};stroke-width:2;stroke-linecap:round}
${SEAT_COLOURS.map((colours, seat) => `.agon-picture .s${seat}{--seat:${scheme(colours)}}`).join("\n")}
.agon-picture .body{fill:none;stroke:var(--seat);stroke-width:12;stroke-linecap:round;stroke-linejoin:round}
.agon-picture .stripe{fill:none;stroke:var(--ground);stroke-width:3;stroke-linecap:round;stroke-linejoin:round}
.agon-picture .head{fill:var(--seat);stroke:var(--ground);stroke-width:1}
.agon-picture .number{fill:${scheme(SNAKES.number)};font:bold 11px system-ui,sans-serif;text-anchor:middle}
.agon-picture .d0{--disc:${DISCS[0]};--mark:${RIMS[0]}}
.agon-picture .d1{--disc:${DISCS[1]};--mark:${RIMS[1]}}
.agon-picture .disc{fill:var(--disc);stroke:${RIMS[1]};stroke-width:.8}
.agon-picture .d0 .disc{stroke:${RIMS[0]}}
.agon-picture .mark{fill:none;stroke:var(--mark);stroke-width:1.2}
.agon-picture .d1 .mark{fill:var(--mark)}
.agon-picture .out{fill:none;stroke:var(--seat);stroke-width:4;stroke-linecap:round}
.agon-picture .last{fill:none;stroke:${scheme(["#ffd84d", "#ffd84d"])};stroke-width:2}
.agon-picture.snakes .last{stroke:var(--solid)}
`
