/**
 * `<agon-chart>`: draws the figures of the table within it over time, in place of the picture that the page has without scripts. The
 * pointer, or the slider by keyboard, leads from moment to moment; the values of the lines there are told in words. `low` and `high` are
 * the ends of an interval that is drawn behind the lines.
 */
import uPlot from "uplot"
import { type Figures, readFigures } from "./figures.ts"

const HEIGHT = 280
/** As in site.css, where the same lines are drawn without scripts. */
const DASHES = [[], [8, 4], [2, 3], [12, 3, 2, 3], [5, 2], [16, 4], [1, 5], [9, 3, 3, 3, 3, 3]]

const inUtc = (time: number, options: Intl.DateTimeFormatOptions): string =>
  new Date(time * 1000).toLocaleString("en-GB", { ...options, timeZone: "UTC" })
const told = (time: number): string => inUtc(time, { dateStyle: "medium", timeStyle: "short" })
const dayOf = (time: number): string => inUtc(time, { day: "numeric", month: "short", year: "numeric" })

const [MINUTE_S, DAY_S] = [60, 86_400]
/** Of pixels, for `22:40:10` and `23 Nov 2026`. */
const TIME_SPACE = 85

/** Times of an axis whose marks are so many seconds apart; the day stands below the first of each. */
const marks = (times: ReadonlyArray<number>, apart_s: number): Array<string> =>
  times.map((time, i) => {
    if (apart_s >= DAY_S) return dayOf(time)
    const clock = inUtc(time, { timeStyle: apart_s < MINUTE_S ? "medium" : "short" })
    return i > 0 && dayOf(times[i - 1]!) === dayOf(time) ? clock : `${clock}\n${dayOf(time)}`
  })

export class Chart extends HTMLElement {
  #figures: Figures | undefined
  #plot: uPlot | undefined
  #left = new AbortController()
  readonly #place = document.createElement("div")
  readonly #label = document.createElement("label")
  readonly #slider = document.createElement("input")
  readonly #output = document.createElement("output")

  connectedCallback(): void {
    this.#figures = readFigures(this.querySelector("table"))
    if (this.#figures === undefined) return
    this.#left = new AbortController()
    const { signal } = this.#left
    this.querySelector("svg.graph")?.remove()
    this.#controls(this.#figures.times.length)
    this.#draw()
    const sized = new ResizeObserver(() => this.#plot?.setSize({ width: this.clientWidth, height: HEIGHT }))
    sized.observe(this)
    signal.addEventListener("abort", () => sized.disconnect())
    // Colours of a canvas do not follow the page's by themselves.
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw(), { signal })
  }

  disconnectedCallback(): void {
    this.#left.abort()
    this.#plot?.destroy()
  }

  #controls(moments: number): void {
    this.#place.ariaHidden = "true"
    this.#slider.type = "range"
    this.#slider.max = String(moments - 1)
    this.#slider.value = this.#slider.max
    this.#label.replaceChildren("Moment", this.#slider)
    this.prepend(this.#place, this.#label, this.#output)
    this.#slider.addEventListener("input", () => this.#tell(Number(this.#slider.value)), { signal: this.#left.signal })
  }

  #tell(moment: number): void {
    const { lines, times } = this.#figures!
    const parts = lines.flatMap(({ name, values }) => (values[moment] == null ? [] : [`\u2068${name}\u2069 ${values[moment].toFixed(1)}`]))
    this.#output.textContent = `${told(times[moment]!)} UTC: ${parts.length === 0 ? "none" : parts.join(", ")}`
    this.#slider.ariaValueText = this.#output.textContent
    const left = this.#plot!.valToPos(times[moment]!, "x")
    if (this.#plot!.cursor.idx !== moment) this.#plot!.setCursor({ left, top: HEIGHT / 3 }, false)
  }

  #draw(): void {
    this.#plot?.destroy()
    const { lines, times } = this.#figures!
    const colour = (name: string) => getComputedStyle(this).getPropertyValue(name).trim()
    const ends = ["high", "low"].map((name) => Number.parseFloat(this.getAttribute(name) ?? "")).filter(Number.isFinite)
    const hasInterval = ends.length === 2
    const axis = { stroke: colour("--faint"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 } }
    const series: Array<uPlot.Series> = lines.map((_, i) => ({
      stroke: colour(`--line-${i}`),
      width: 2,
      dash: DASHES[i % DASHES.length]!,
      spanGaps: false,
      points: { show: false }
    }))
    const interval: uPlot.Series = { stroke: colour("--span"), width: 1, dash: [3, 3], points: { show: false } }
    const data = [times, ...lines.map(({ values }) => values), ...(hasInterval ? ends.map((end) => times.map(() => end)) : [])]
    const first = lines.length + 1
    this.#plot = new uPlot(
      {
        width: this.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, y: false },
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
        axes: [
          { ...axis, label: "Time (UTC)", labelSize: 20, space: TIME_SPACE, values: (_, times, __, ___, apart_s) => marks(times, apart_s) },
          { ...axis, size: 60, values: (_, ratings) => ratings.map(String) }
        ],
        series: [{}, ...series, ...(hasInterval ? [interval, interval] : [])],
        bands: hasInterval ? [{ series: [first, first + 1], fill: `color-mix(in srgb, ${colour("--span")} 20%, transparent)` }] : [],
        hooks: {
          ready: [() => this.#tell(Number(this.#slider.value))], // its scales are known
          setCursor: [({ cursor: { idx } }) => this.#follow(idx)]
        }
      },
      data as uPlot.AlignedData,
      this.#place
    )
  }

  #follow(moment: number | null | undefined): void {
    if (moment == null || this.#plot === undefined) return
    this.#slider.value = String(moment)
    this.#tell(moment)
  }
}
