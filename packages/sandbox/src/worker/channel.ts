/**
 * The shared memory between an examination and one thread with one model. Who owns the data follows the counters:
 *
 *   examination                             thread
 *   writes observation
 *   REQUEST += 1, notify  ───────────────▶  wakes, reads observation and memory, runs
 *                                           writes logits, memory, STATUS, DETAIL, times
 *   wakes, reads          ◀───────────────  ANSWER = REQUEST, notify
 *
 * Each answer carries the thread's processor time so far, since models are charged for that
 * and not for time on the clock.
 *
 * The first answer (to request 0, which nobody sends) says that the model is loaded, or why not. A thread that does not
 * answer in time is terminated and its channel dropped, so a late answer reaches nobody.
 */
/** `machine`: the model did not run, since the machine could not give the instance its memory. */
export const STATUS = { ready: 1, answered: 2, shape: 3, non_finite: 4, failed: 5, exhausted: 6, machine: 7 } as const
export type Status = (typeof STATUS)[keyof typeof STATUS]

/** Sizes of a model's inputs and outputs on one board, with a batch of one. */
export interface Sizes {
  readonly planes: number
  readonly rows: number
  readonly cols: number
  readonly actions: number
  /** Recurrent memory in float32 counts: `flat` numbers, `cell` planes of the board's size. */
  readonly flat: number
  readonly cell: number
}

/** The buffers of one board. All boards share the same bytes, so changing boards means starting anew. */
export interface Exchange {
  readonly observation: Float32Array
  readonly logits: Float32Array
  readonly memoryFlat: Float32Array
  readonly memoryCell: Float32Array
}

const REQUEST = 0
const ANSWER = 1
const STATUS_AT = 2
const DETAIL_BYTES = 3
const BOARD = 4
const POISON = 5
const WORDS = 6
const INFER_US_AT = 3
const CPU_US_AT = 4
const DETAIL_AT_BYTES = 64
const DETAIL_MAX_BYTES = 960
const DATA_AT_BYTES = 1_024

const countsOf = ({ planes, rows, cols, actions, flat, cell }: Sizes) => [planes * rows * cols, actions, flat, cell * rows * cols]
const bytesOf = (sizes: Sizes) => 4 * countsOf(sizes).reduce((sum, count) => sum + count, 0)

const exchangeOf = (buffer: SharedArrayBuffer, sizes: Sizes): Exchange => {
  let at = DATA_AT_BYTES
  const [observation, logits, memoryFlat, memoryCell] = countsOf(sizes).map((count) => {
    const part = new Float32Array(buffer, at, count)
    at += 4 * count
    return part
  })
  return { observation: observation!, logits: logits!, memoryFlat: memoryFlat!, memoryCell: memoryCell! }
}

export class Channel {
  readonly buffer: SharedArrayBuffer
  readonly boards: ReadonlyArray<Exchange>
  readonly #words: Int32Array
  readonly #numbers: Float64Array

  constructor(boards: ReadonlyArray<Sizes>, shared?: SharedArrayBuffer) {
    this.buffer = shared ?? new SharedArrayBuffer(DATA_AT_BYTES + Math.max(...boards.map(bytesOf)))
    this.boards = boards.map((sizes) => exchangeOf(this.buffer, sizes))
    this.#words = new Int32Array(this.buffer, 0, WORDS)
    this.#numbers = new Float64Array(this.buffer, 0, CPU_US_AT + 1)
    if (shared === undefined) this.#words[ANSWER] = -1
  }

  get status(): Status {
    return this.#words[STATUS_AT] as Status
  }
  get infer_us(): number {
    return this.#numbers[INFER_US_AT]!
  }
  /** The thread's processor time when it last answered. */
  get cpu_us(): number {
    return this.#numbers[CPU_US_AT]!
  }
  /** The seed with which the thread fills its free memory before the run; 0 leaves it unchanged. */
  get poison(): number {
    return this.#words[POISON]!
  }
  get detail(): string {
    return new TextDecoder().decode(new Uint8Array(this.buffer, DETAIL_AT_BYTES, this.#words[DETAIL_BYTES]).slice())
  }
  get board(): number {
    return this.#words[BOARD]!
  }

  /** The examination's side: takes up a board with zeroed memory, asks, waits for the answer to what was asked last. */
  take(board: number): Exchange {
    const exchange = this.boards[board]!
    this.#words[BOARD] = board
    exchange.memoryFlat.fill(0)
    exchange.memoryCell.fill(0)
    return exchange
  }
  ask(poison = 0): void {
    this.#words[POISON] = poison
    Atomics.add(this.#words, REQUEST, 1)
    Atomics.notify(this.#words, REQUEST)
  }
  /** Blocks for a moment at most; whether the answer to what was asked last is there. */
  hasAnswer(within_ms: number): boolean {
    const asked = Atomics.load(this.#words, REQUEST)
    const answered = Atomics.load(this.#words, ANSWER)
    if (answered !== asked && within_ms > 0) Atomics.wait(this.#words, ANSWER, answered, within_ms)
    return Atomics.load(this.#words, ANSWER) === asked
  }

  /** The thread's side. */
  awaitRequest(): void {
    const answered = Atomics.load(this.#words, ANSWER)
    while (Atomics.load(this.#words, REQUEST) === answered) Atomics.wait(this.#words, REQUEST, answered)
  }
  answer(status: Status, infer_us: number, cpu_us: number, detail: string): void {
    const { written } = detail === "" ? { written: 0 } : new TextEncoder().encodeInto(detail, this.#detailBytes())
    this.#words[DETAIL_BYTES] = written
    this.#words[STATUS_AT] = status
    this.#numbers[INFER_US_AT] = infer_us
    this.#numbers[CPU_US_AT] = cpu_us
    Atomics.store(this.#words, ANSWER, Atomics.load(this.#words, REQUEST))
    Atomics.notify(this.#words, ANSWER)
  }
  #detailBytes(): Uint8Array {
    return new Uint8Array(this.buffer, DETAIL_AT_BYTES, DETAIL_MAX_BYTES)
  }
}
