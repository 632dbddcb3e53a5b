/**
 * Debian's own Python with its numpy (scripts/apt-packages.txt), named by its path: the first python3 on a
 * PATH may be another one, without numpy.
 */
import { spawn, spawnSync } from "node:child_process"
import { resolve } from "node:path"

export const PYTHON = "/usr/bin/python3"
export const ROOT = resolve(import.meta.dirname, "../..")

/** Why Python programs with numpy do not run here, or undefined where they do. */
export const missingPython = (): string | undefined =>
  spawnSync(PYTHON, ["-c", "import numpy"]).status === 0 ? undefined : `no numpy for ${PYTHON}, see scripts/apt-packages.txt`

export const missingTorch = (): string | undefined =>
  spawnSync(PYTHON, ["-c", "import torch"]).status === 0 ? undefined : `no torch for ${PYTHON}, see scripts/apt-packages.txt`

export interface Where {
  /** A path from the repository's root. */
  readonly folder?: string
  readonly environment?: Readonly<Record<string, string>>
}

export interface Ran {
  readonly status: number | null
  /** The program's output, its errors among the rest. */
  readonly output: string
}

/** Of the programs of Python: one thread, no files beside the sources, and this Node for whatever asks for Node. */
const USUAL = { AGON_NODE: process.execPath, PYTHONDONTWRITEBYTECODE: "1", OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1" }

export const run = (program: string, args: ReadonlyArray<string>, { folder = ".", environment = {} }: Where = {}): Promise<Ran> =>
  new Promise((done, fail) => {
    const env = { ...process.env, ...USUAL, ...environment }
    const child = spawn(program, args, { cwd: resolve(ROOT, folder), env, stdio: ["ignore", "pipe", "pipe"] })
    const parts: Array<string> = []
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => parts.push(text))
    child.on("error", fail)
    child.on("close", (status) => done({ status, output: parts.join("") }))
  })

export const python = (args: ReadonlyArray<string>, where: Where = {}): Promise<Ran> => run(PYTHON, args, where)
