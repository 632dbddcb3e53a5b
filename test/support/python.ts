/**
 * Debian's own Python with its numpy (scripts/apt-packages.txt), named by its path: the first python3 on a PATH may be another one,
 * without numpy.
 */
import { spawn, spawnSync } from "node:child_process"
import { resolve } from "node:path"

const PYTHON = "/usr/bin/python3"
const ROOT = resolve(import.meta.dirname, "../..")

/** Why Python programs with numpy do not run here, or undefined where they do. */
export const missingPython = (): string | undefined =>
  spawnSync(PYTHON, ["-c", "import numpy"]).status === 0 ? undefined : `no numpy for ${PYTHON}, see scripts/apt-packages.txt`

export interface Ran {
  readonly status: number | null
  /** What the program wrote, its errors among the rest. */
  readonly output: string
}

/** Runs a program in `folder`, a path from the repository's root, on one thread and with this Node for whatever asks for Node. */
export const run = (program: string, args: ReadonlyArray<string>, folder = "."): Promise<Ran> =>
  new Promise((done, fail) => {
    const env = {
      ...process.env,
      AGON_NODE: process.execPath,
      PYTHONDONTWRITEBYTECODE: "1",
      OMP_NUM_THREADS: "1",
      OPENBLAS_NUM_THREADS: "1"
    }
    const child = spawn(program, args, { cwd: resolve(ROOT, folder), env, stdio: ["ignore", "pipe", "pipe"] })
    const parts: Array<string> = []
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => parts.push(text))
    child.on("error", fail)
    child.on("close", (status) => done({ status, output: parts.join("") }))
  })

export const python = (folder: string, ...args: ReadonlyArray<string>): Promise<Ran> => run(PYTHON, args, folder)
