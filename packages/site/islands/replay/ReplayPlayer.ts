/**
 * `<agon-replay>`: shows a match turn by turn and recomputes it in the browser. Until the replay is there, and where it cannot be
 * shown, the element's own content stays: the page puts there whatever it has without scripts.
 *
 * Attributes: `src`, the replay's address on this origin; `names`, a JSON array of the players' names by seat; `board`, the board's
 * name; `game`, its slug; `turn`, where to begin. A turn in the page's address (`#turn=12`) comes before that one.
 */
import type { Engine } from "@agon/engine/Engine.ts"
import { readReplay } from "@agon/engine/replay/readReplay.ts"
import { html, LitElement, nothing, type PropertyValues } from "lit"
import { describe, type Names } from "../../src/picture/describe.ts"
import { type Position, readPosition } from "../../src/picture/Position.ts"
import { plainText } from "../../src/picture/svg.ts"
import { fetchReplay } from "./fetchReplay.ts"
import { frame } from "./frame.ts"
import { type Command, commandOf } from "./keys.ts"
import { type Moment, momentsOf, turnText } from "./moments.ts"
import { Playback } from "./Playback.ts"
import { prove, type Verdict } from "./prove.ts"
import { styles } from "./styles.ts"
import { factTable, ICONS, icon, keyList, marks, momentList, seatTable, textView, verdictView } from "./templates.ts"

/** Turns a second. */
const SPEEDS = [0.5, 1, 2, 4, 8, 16, 32]
const PROBLEMS_MAX = 5

export class ReplayPlayer extends LitElement {
  static override styles = styles
  static override properties = {
    src: {},
    names: {},
    board: {},
    game: {},
    turn: { type: Number },
    failure: { state: true },
    playback: { state: true },
    verdict: { state: true },
    at: { state: true },
    playing: { state: true },
    speed: { state: true }
  }
  declare src: string | null
  declare names: string | null
  declare board: string | null
  declare game: string | null
  declare turn: number | null
  declare failure: string | undefined
  declare playback: Playback | undefined
  declare verdict: Verdict | undefined
  /** Turns played in the position that shows. */
  declare at: number
  declare playing: boolean
  declare speed: number
  #left = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #moments: ReadonlyArray<Moment> = []
  #names: Names = []
  /** Read by a screen reader when it changes: every turn while paused, what stands out while playing. */
  #said = ""

  constructor() {
    super()
    this.at = 0
    this.playing = false
    this.speed = 4
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.#left = new AbortController()
    addEventListener("hashchange", this.#followAddress, { signal: this.#left.signal })
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#left.abort()
    this.#pause()
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("names")) this.#names = readNames(this.names)
    if (changed.has("src") && this.src !== null && this.src !== undefined) void this.#load(this.src)
  }

  async #load(address: string): Promise<void> {
    this.playback = this.verdict = this.failure = undefined
    const fetched = await fetchReplay(address, this.#left.signal)
    if (address !== this.src || !this.isConnected) return
    if (!fetched.ok) return this.#fail(fetched.sentence)
    const read = readReplay(fetched.json)
    if (!read.ok) {
      const problems = read.problems.slice(0, PROBLEMS_MAX).map(({ message, path }) => `${path === "" ? "it" : path} ${message}`)
      return this.#fail(plainText(`This is not a replay that can be shown: ${problems.join("; ")}.`, 400))
    }
    this.playback = new Playback(read.replay, read.engine)
    this.#moments = momentsOf(read.replay, this.playback.turns, this.#names)
    this.#go(turnOfAddress() ?? this.turn ?? 0)
    await this.#prove(fetched.json, read.engine)
  }

  /** The first picture is painted before the match is recomputed. */
  async #prove(json: unknown, engine: Engine<any, any>): Promise<void> {
    await this.updateComplete
    await new Promise((painted) => setTimeout(painted))
    if (this.playback !== undefined) this.verdict = prove(json, this.playback.replay, engine)
  }

  #fail(sentence: string): void {
    this.failure = sentence
  }

  #followAddress = (): void => {
    const turn = turnOfAddress()
    if (turn !== undefined) this.#seek(turn)
  }

  /** As asked by the viewer: playing stops, and the address of the page names the turn. */
  #seek = (turn: number): void => {
    this.#pause()
    this.#go(turn)
    this.#nameTurn()
  }

  #go(turn: number): void {
    const playback = this.playback
    if (playback === undefined) return
    this.at = Math.max(0, Math.min(Math.trunc(turn), playback.turns))
    const stands_out = this.#moments.some((moment) => moment.turn === this.at)
    if (!this.playing || stands_out) this.#said = this.#sentence()
  }

  #sentence(): string {
    const { replay, turns } = this.playback!
    const end = this.at === turns ? ` ${this.#moments.at(-1)!.text}.` : ""
    return turnText(replay, this.at, replay.board.cols, this.#names) + end
  }

  #nameTurn(): void {
    history.replaceState(history.state, "", `#turn=${this.at}`)
  }

  #play(): void {
    if (this.playback === undefined) return
    if (this.at >= this.playback.turns) this.#go(0)
    this.playing = true
    this.#wait()
  }

  #wait(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#go(this.at + 1)
      if (this.at < (this.playback?.turns ?? 0)) return this.#wait()
      this.#pause()
      this.#nameTurn()
    }, 1_000 / this.speed)
  }

  #pause(): void {
    clearTimeout(this.#timer)
    this.playing = false
  }

  #setSpeed(speed: number): void {
    this.speed = speed
    if (this.playing) this.#wait()
  }

  #run(command: Command): void {
    const speed = SPEEDS.indexOf(this.speed)
    const commands: Readonly<Record<Command, () => void>> = {
      toggle: () => (this.playing ? this.#seek(this.at) : this.#play()),
      back: () => this.#seek(this.at - 1),
      on: () => this.#seek(this.at + 1),
      back10: () => this.#seek(this.at - 10),
      on10: () => this.#seek(this.at + 10),
      first: () => this.#seek(0),
      last: () => this.#seek(this.playback?.turns ?? 0),
      slower: () => this.#setSpeed(SPEEDS[speed - 1] ?? this.speed),
      faster: () => this.#setSpeed(SPEEDS[speed + 1] ?? this.speed),
      full: () => void (document.fullscreenElement === null ? this.requestFullscreen() : document.exitFullscreen()).catch(() => undefined)
    }
    commands[command]()
  }

  #onKey = (event: KeyboardEvent): void => {
    const command = this.playback === undefined ? undefined : commandOf(event)
    if (command === undefined) return
    event.preventDefault()
    this.#run(command)
  }

  protected override render() {
    const { failure, playback } = this
    if (failure !== undefined) return html`<slot></slot><div class="verdict bad" role="status"><p><strong>${failure}</strong></p></div>`
    if (playback === undefined) return html`<slot></slot><p role="status">The replay is being fetched …</p>`
    const position = readPosition(playback.viewAt(this.at))
    return position === undefined ? nothing : this.#player(playback, position)
  }

  #player(playback: Playback, position: Position) {
    const { replay, turns } = playback
    const picture = frame(playback, this.at, this.#names)
    const strikes = position.seats.map((_, seat) => replay.strikes.filter((strike) => strike.seat === seat && strike.turn < this.at).length)
    return html`<div class="player" role="group" aria-label="Replay${this.board ? ` on ${plainText(this.board)}` : ""}" @keydown=${this.#onKey}>
<div class="stage">
<div class="board" tabindex="0" role="group" aria-label="Board" .innerHTML=${picture}></div>
<div class="time">${marks(this.#moments, turns)}
<input type="range" aria-label="Turn" aria-valuetext="Turn ${this.at} of ${turns}" min="0" max=${turns} .value=${String(this.at)} @input=${this.#onScrub}></div>
${this.#controls(turns)}
<div class="side">${verdictView(this.verdict, turns, this.#seek)}
${seatTable(position, this.#names, strikes)}<p class="now">${this.#sentence()}</p></div>
</div>
<p class="unseen" aria-live="polite">${this.#said}</p>
${momentList(this.#moments, this.#seek)}
${textView(position, describe(position, this.#names))}
${this.verdict === undefined ? nothing : factTable(this.verdict.facts)}
${keyList}
</div>`
  }

  #onScrub = (event: Event): void => this.#seek(Number((event.target as HTMLInputElement).value))

  #controls(turns: number) {
    const button = (command: Command, label: string, path: string, disabled = false, kind = "") =>
      html`<button type="button" class=${kind} aria-label=${label} title=${label} ?disabled=${disabled} @click=${() => this.#run(command)}>${icon(path)}</button>`
    return html`<div class="controls" role="group" aria-label="Playback">
${button("first", "To the start", ICONS.first, this.at === 0)}
${button("back", "One turn back", ICONS.back, this.at === 0)}
${this.playing ? button("toggle", "Pause", ICONS.pause, false, "play") : button("toggle", "Play", ICONS.play, turns === 0, "play")}
${button("on", "One turn on", ICONS.on, this.at === turns)}
${button("last", "To the end", ICONS.last, this.at === turns)}
<span class="at">Turn ${this.at} of ${turns}</span>
<label>Speed <select @change=${this.#onSpeed}>${SPEEDS.map((speed) => html`<option value=${speed} ?selected=${speed === this.speed}>${speed} a second</option>`)}</select></label>
${document.fullscreenEnabled ? button("full", "Full screen", ICONS.full) : nothing}
<a href="#turn=${this.at}">Link to this turn</a>
</div>`
  }

  #onSpeed = (event: Event): void => this.#setSpeed(Number((event.target as HTMLSelectElement).value))
}

const turnOfAddress = (): number | undefined => {
  const [, digits] = /^#turn=(\d{1,5})$/.exec(location.hash) ?? []
  return digits === undefined ? undefined : Number(digits)
}

const SEATS_MAX = 8

/** Names of the seats; anything but an array of texts names nobody. */
const readNames = (text: string | null): Names => {
  try {
    const names: unknown = JSON.parse(text ?? "[]")
    return Array.isArray(names) ? names.slice(0, SEATS_MAX).map((name) => (typeof name === "string" ? name : undefined)) : []
  } catch {
    return []
  }
}
