/**
 * A copy of what plays a match without its types, for versions of Node that do not take TypeScript. Such a
 * Node is no runner of ours, but another V8, whose WebAssembly must give the same bits.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire, stripTypeScriptTypes } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const packages = fileURLToPath(new URL("../../../../", import.meta.url))
const OURS = ["engine", "onnx", "sandbox"]
/** Each with the package that imports it. */
const FOREIGN = [
  ["onnxruntime-web", "sandbox"],
  ["@bufbuild/protobuf", "onnx"]
] as const

const HOOKS = `import { readFile } from "node:fs/promises"
export const load = async (url, context, next) =>
  url.endsWith(".ts") ? { format: "module", shortCircuit: true, source: await readFile(new URL(url)) } : next(url, context)`
const REGISTER = `import { register } from "node:module"; register("./hooks.mjs", import.meta.url)`

const copy = (from: string, to: string): void => {
  for (const name of readdirSync(join(from, "src"), { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts") || name.endsWith(".test.ts")) continue
    const path = join(to, "src", name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, stripTypeScriptTypes(readFileSync(join(from, "src", name), "utf8")))
  }
  cpSync(join(from, "package.json"), join(to, "package.json"))
}

/** Where a package is, found as an import in `importer` finds it. */
const folderOf = (name: string, importer: string): string =>
  createRequire(join(packages, importer, "package.json"))
    .resolve.paths(name)!
    .map((folder) => join(folder, name))
    .find((folder) => existsSync(join(folder, "package.json")))!

/** Fills an empty folder; answers the arguments with which any Node from 20 on plays the matches of `testReplay.ts`. */
export const copyForOlderNode = (folder: string): ReadonlyArray<string> => {
  const modules = join(folder, "node_modules")
  for (const name of OURS) copy(join(packages, name), join(modules, "@agon", name))
  for (const [name, importer] of FOREIGN) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(folderOf(name, importer), join(modules, name))
  }
  writeFileSync(join(folder, "hooks.mjs"), HOOKS)
  writeFileSync(join(folder, "register.mjs"), REGISTER)
  return ["--import", join(folder, "register.mjs"), join(modules, "@agon/sandbox/src/match/testing/testReplay.ts")]
}
