/**
 * The files that the sandbox finds by their path instead of importing them: its process, its threads, the
 * runtime, and all code that the process may read. The packed tool has them elsewhere: scripts/packTool.ts
 * takes scripts/packedPlaces.ts for this module.
 */
import { existsSync, realpathSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const require = createRequire(import.meta.url)

export const processPath: string = fileURLToPath(new URL("./main.ts", import.meta.url))
export const instanceThread: URL = new URL("./worker/thread.ts", import.meta.url)
export const matchThread: URL = new URL("./match/thread.ts", import.meta.url)

export const wasmPath: string = require.resolve("onnxruntime-web/ort-wasm-simd-threaded.wasm")
export const gluePath: string = require.resolve("onnxruntime-web/ort-wasm-simd-threaded.mjs")
/** The package.json that names the runtime's version. */
export const runtimePackagePath: string = join(dirname(wasmPath), "../package.json")

export interface Link {
  /** Where an import looks for a package. */
  readonly link: string
  /** Where it is; the same unless the link is one. */
  readonly target: string
}
export interface Code {
  /**
   * This package. Node's permission model (24.21) lets threads read the working directory, and every file
   * there is where that is "/": so the process works in a folder that it may read anyway.
   */
  readonly own: string
  /** Folders that hold what the process runs, links resolved. */
  readonly folders: ReadonlyArray<string>
  /** The names under which they import each other, where these are links. */
  readonly links: ReadonlyArray<Link>
}

/** Finds a package as an import in `folder` does. */
const findPackage = (folder: string, name: string): Link => {
  const link = join(folder, "node_modules", name)
  if (existsSync(link)) return { link, target: realpathSync(link) }
  if (dirname(folder) === folder) throw new Error(`package ${name} is not installed`)
  return findPackage(dirname(folder), name)
}

/** Everything that the process may read: this package and those it imports. */
export const findCode = (): Code => {
  const own = realpathSync(fileURLToPath(new URL("../", import.meta.url)))
  const onnx = findPackage(own, "@agon/onnx")
  const imported = [
    onnx,
    findPackage(own, "@agon/engine"),
    findPackage(own, "onnxruntime-web"),
    findPackage(onnx.target, "@bufbuild/protobuf")
  ]
  return { own, folders: [own, ...imported.map(({ target }) => target)], links: imported.filter(({ link, target }) => link !== target) }
}
