/** `agon` as a competitor runs it: a process of its own, with a configuration folder that nobody else has. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface Ended {
  readonly status: number | null
  readonly out: string
  readonly err: string
}

export interface Started {
  readonly child: ChildProcess
  /** Its output, once that matches. Fails where it ends without. */
  readonly says: (pattern: RegExp) => Promise<string>
  readonly ended: Promise<Ended>
}

const ROOT = join(import.meta.dirname, "../..")
/** From the sources, without an installation. */
const FROM_SOURCES: ReadonlyArray<string> = [process.execPath, join(ROOT, "packages/cli/src/main.ts")]

export class Tool {
  readonly folder: string
  readonly #command: ReadonlyArray<string>

  constructor(command: ReadonlyArray<string> = FROM_SOURCES) {
    this.folder = mkdtempSync(join(tmpdir(), "agon-tool-"))
    this.#command = command
  }

  at(name: string): string {
    return join(this.folder, name)
  }

  start(...args: ReadonlyArray<string>): Started {
    return this.startWith({}, ...args)
  }

  startWith(variables: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>): Started {
    const env = { PATH: process.env["PATH"] ?? "", HOME: this.folder, XDG_CONFIG_HOME: this.at("config"), ...variables }
    const [program = "", ...before] = this.#command
    const child = spawn(program, [...before, ...args], { cwd: this.folder, env, stdio: ["ignore", "pipe", "pipe"] })
    let [out, err, over] = ["", "", false]
    const look = new Set<() => void>()
    const hear = (into: (text: string) => void) => (chunk: Buffer) => {
      into(chunk.toString())
      for (const one of look) one()
    }
    child.stdout.on(
      "data",
      hear((text) => (out += text))
    )
    child.stderr.on(
      "data",
      hear((text) => (err += text))
    )
    const ended = new Promise<Ended>((resolve) => child.on("close", (status) => resolve({ status, out, err })))
    void ended.then(() => {
      over = true
      for (const one of look) one()
    })
    const says = (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        const one = () => {
          const found = pattern.exec(out)
          if (found !== null) resolve(found[0])
          else if (over) reject(new Error(`it ended without ${pattern}: ${out}${err}`))
          else return
          look.delete(one)
        }
        look.add(one)
        one()
      })
    return { child, says, ended }
  }

  run(...args: ReadonlyArray<string>): Promise<Ended> {
    return this.start(...args).ended
  }

  end(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
