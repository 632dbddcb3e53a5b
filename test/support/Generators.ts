/**
 * Clients that generators of others make of the service's OpenAPI document, each with a file of
 * test/generated-client that lives a competitor's life with it. They are made, compiled and run in a folder
 * of their own; nothing of them is kept.
 */

import { execFile } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { assert } from "@effect/vitest"

const root = resolve(import.meta.dirname, "../..")
const workspace = join(root, "test/generated-client")
const DEADLINE_MS = 200_000

interface Generator {
  /** The npm package, and its program. */
  readonly name: string
  readonly program: string
  readonly options: ReadonlyArray<string>
  /** Files that it reads beside the document. */
  readonly files?: Readonly<Record<string, string>>
  /** The file of test/generated-client that uses what it makes. */
  readonly life: string
  /** The compiler's checks beyond `strict`: not every generator makes code that stands it. */
  readonly checks: ReadonlyArray<string>
}

const FURTHER_CHECKS = ["--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes"]

export const generators: ReadonlyArray<Generator> = [
  {
    name: "openapi-typescript",
    program: "bin/cli.js",
    options: ["openapi.json", "-o", "schema.d.ts"],
    life: "openapi-typescript.ts",
    checks: FURTHER_CHECKS
  },
  {
    name: "orval",
    program: "dist/bin/orval.mjs",
    options: ["--config", "orval.config.mjs"],
    files: {
      "orval.config.mjs": `export default { agon: { input: "openapi.json", output: { target: "client.ts", client: "fetch", baseUrl: process.env.ORIGIN } } }\n`
    },
    life: "orval.ts",
    checks: FURTHER_CHECKS
  },
  {
    name: "@hey-api/openapi-ts",
    program: "bin/run.js",
    options: ["-i", "openapi.json", "-o", "client"],
    life: "hey-api.ts",
    checks: ["--noUncheckedIndexedAccess"]
  },
  {
    name: "swagger-typescript-api",
    program: "dist/cli.mjs",
    options: ["generate", "-p", "openapi.json", "-o", ".", "-n", "client.ts", "--generate-union-enums"],
    life: "swagger-typescript-api.ts",
    checks: ["--noUncheckedIndexedAccess"]
  }
]

/** Wherever npm has put a package that the workspace asks for. */
export const packageOf = (name: string): string =>
  [workspace, root].map((base) => join(base, "node_modules", name)).find((folder) => existsSync(folder)) ??
  assert.fail(`${name} is not installed`)

/** A competitor who has signed in, and the model to enter. */
export interface Competitor {
  readonly username: string
  readonly session: string
  readonly weights: Uint8Array
  readonly manifest: Uint8Array
}

/**
 * Makes the client of the service at `origin` in a new `folder`, compiles it, and lives the life;
 * rejects where any of it fails.
 */
export const liveWith = async (generator: Generator, origin: string, folder: string, competitor: Competitor): Promise<void> => {
  const run = (...command: ReadonlyArray<string>) =>
    promisify(execFile)(process.execPath, command, {
      cwd: folder,
      timeout: DEADLINE_MS,
      env: { ...process.env, ORIGIN: origin }
    }).catch(({ message, stderr, stdout }) => assert.fail(`${message}\n${stdout}\n${stderr}`))
  mkdirSync(folder)
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  for (const name of ["life.ts", generator.life, "package.json", "tsconfig.json"]) copyFileSync(join(workspace, name), join(folder, name))
  const written = { ...generator.files, "model.onnx": competitor.weights, "manifest.json": competitor.manifest }
  for (const [name, content] of Object.entries(written)) writeFileSync(join(folder, name), content)
  writeFileSync(join(folder, "openapi.json"), await (await fetch(`${origin}/openapi.json`)).text())

  await run(join(packageOf(generator.name), generator.program), ...generator.options)
  holdToTypes(join(folder, "client.ts"))
  await run(join(root, "node_modules/typescript/bin/tsc"), "-p", ".", ...generator.checks)
  await run(`js/${generator.life.replace(/ts$/, "js")}`, origin, competitor.session, "model.onnx", "manifest.json", competitor.username)
}

/** Some generators tell the compiler to look away from what they make. */
const holdToTypes = (file: string): void => {
  if (existsSync(file)) writeFileSync(file, readFileSync(file, "utf8").replace("// @ts-nocheck", ""))
}
