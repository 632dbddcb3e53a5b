/** The common parts of the scripts that make installable packages. */
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

export const ROOT = resolve(import.meta.dirname, "..")
/** The first of Node 20 whose loaders the bundles use. */
const ENGINE_NODE = ">=20.12"

/** Writes the manifest, the licence and the README, which make the folder a package. */
export const makePackage = (out: string, manifest: Readonly<Record<string, unknown>>, readme: string): void => {
  const whole = { ...manifest, license: "MIT", type: "module", files: ["dist"], engines: { node: ENGINE_NODE } }
  writeFileSync(join(out, "package.json"), `${JSON.stringify(whole, null, 2)}\n`)
  cpSync(join(ROOT, readme), join(out, "README.md"))
  cpSync(join(ROOT, "LICENSE"), join(out, "LICENSE"))
}

/** Calls `make` with the folder that the arguments name, which is new or empty; exit status 2 where it is not. */
export const toFolder = async (script: string, make: (out: string) => Promise<void> | void): Promise<void> => {
  const [out] = process.argv.slice(2)
  const isFolder = out !== undefined && !out.startsWith("-")
  if (isFolder && (!existsSync(out) || readdirSync(out).length === 0)) {
    mkdirSync(out, { recursive: true })
    return await make(resolve(out))
  }
  console.error(isFolder ? `${out} is not empty.` : `Usage: node scripts/${script} ./OUT`)
  process.exitCode = 2
}
