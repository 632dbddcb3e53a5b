/** The processes of runners, one for so many sockets, and one of readers; what all of them measured together. */
import { type ChildProcess, fork } from "node:child_process"
import { join } from "node:path"
import { type Done, type Measured, type News, OPERATIONS, type Operation, type Order, type Tempo } from "./messages.ts"

const RUNNERS_A_PROCESS = 5_000
/** The first runner of the process that reads. */
const NO_RUNNER = -1

export class Crews {
  readonly #runners: ReadonlyArray<ChildProcess>
  readonly #readers: ChildProcess

  constructor(runners: ReadonlyArray<ChildProcess>, readers: ChildProcess) {
    this.#runners = runners
    this.#readers = readers
  }

  static async started(runners: number, ports: ReadonlyArray<number>, engine_digest: string, tempo: Tempo): Promise<Crews> {
    const begun = async (first_runner: number) => {
      const child = fork(join(import.meta.dirname, "crew.ts"), { serialization: "advanced" })
      process.on("exit", () => child.kill("SIGKILL"))
      await heard(child, "ready")
      order(child, { kind: "begin", target: { ports, engine_digest, first_runner }, tempo })
      return child
    }
    const count = Math.ceil(runners / RUNNERS_A_PROCESS)
    const crews = await Promise.all([NO_RUNNER, ...Array.from({ length: count }, (_, i) => i * RUNNERS_A_PROCESS)].map(begun))
    return new Crews(crews.slice(1), crews[0]!)
  }

  grow(to: number) {
    this.#runners.forEach((child, i) =>
      order(child, { kind: "grow", to: Math.max(0, Math.min(RUNNERS_A_PROCESS, to - i * RUNNERS_A_PROCESS)) })
    )
  }

  tempo(tempo: Tempo) {
    for (const child of this.#runners) order(child, { kind: "tempo", tempo })
  }

  read(per_s: number, paths: ReadonlyArray<string>) {
    order(this.#readers, { kind: "read", per_s, paths })
  }

  /** Measurements since the last time. */
  async told(): Promise<Measured> {
    const parts = await Promise.all(
      [...this.#runners, this.#readers].map((child) => {
        const part = heard(child, "told")
        order(child, { kind: "tell" })
        return part
      })
    )
    const failures: Record<string, number> = {}
    for (const part of parts) for (const [what, n] of Object.entries(part.failures)) failures[what] = (failures[what] ?? 0) + n
    const joined = (operation: Operation) => Float64Array.from(parts.flatMap(({ took_ms }) => [...took_ms[operation]])).sort()
    const took_ms = Object.fromEntries(OPERATIONS.map((operation) => [operation, joined(operation)])) as Record<Operation, Float64Array>
    const sum = (of: "waiting" | "playing") => parts.reduce((total, part) => total + part[of], 0)
    return { took_ms, failures, waiting: sum("waiting"), playing: sum("playing") }
  }

  /** Matches that were begun end, runners and readers are gone. */
  async stopped(): Promise<Done> {
    const parts = await Promise.all(
      [this.#readers, ...this.#runners].map(async (child) => {
        const done = heard(child, "done")
        order(child, { kind: "stop" })
        const { accepted, broken } = await done
        child.disconnect()
        return { accepted, broken }
      })
    )
    return { accepted: parts.flatMap(({ accepted }) => accepted), broken: parts.flatMap(({ broken }) => broken) }
  }
}

const order = (child: ChildProcess, what: Order) => child.send(what)

const heard = <Kind extends News["kind"]>(child: ChildProcess, kind: Kind) =>
  new Promise<Extract<News, { readonly kind: Kind }>>((resolve, reject) => {
    const ended = () => reject(new Error("a process of runners ended"))
    const hear = (news: News) => {
      if (news.kind !== kind) return
      child.off("message", hear)
      child.off("exit", ended)
      resolve(news as Extract<News, { readonly kind: Kind }>)
    }
    child.on("message", hear)
    child.on("exit", ended)
  })
