/**
 * Makes the package `@agon/client`: the typed client with its schemas, compiled for Node 20 and later, with types.
 *
 *   npx node scripts/packClient.ts ./OUT     makes the folder OUT, for `npm pack ./OUT`
 *
 * The compiler writes the api package and the files of domain that it imports. The package's one dependency
 * is effect, in whose terms the client's types are.
 */
import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { makePackage, ROOT, toFolder } from "./packing.ts"

const PACKAGES = join(ROOT, "packages")
const TSC = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")
/** The api package, and the one that it imports. */
const SOURCES = ["api", "domain"]
/** Of `from "…"` and `import("…")`. */
const OURS = /(?<=(?:from |import\()")@agon\/([a-z]+)\/([^"]+)(?=")/g
const RELATIVE = /(?<=(?:from |import\()")(\.\.?\/[^"]+)\.ts(?=")/g

const rewrite = (folder: string, ending: string, change: (text: string, file: string) => string): void => {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((one) => one.endsWith(ending))) {
    const file = join(folder, name)
    writeFileSync(file, change(readFileSync(file, "utf8"), file))
  }
}

/**
 * The sources, with every import of ours as a path: the compiler takes other packages for
 * libraries that lie elsewhere.
 */
const copySources = (folder: string): void => {
  for (const name of SOURCES)
    cpSync(join(PACKAGES, name, "src"), join(folder, name, "src"), { recursive: true, filter: (file) => !file.endsWith(".test.ts") })
  const pathTo = (file: string, owner: string, path: string) => {
    const found = relative(dirname(file), join(folder, owner, "src", path))
    return found.startsWith(".") ? found : `./${found}`
  }
  rewrite(folder, ".ts", (text, file) => text.replace(OURS, (_, owner: string, path: string) => pathTo(file, owner, path)))
}

const compile = (dist: string): void => {
  const folder = mkdtempSync(join(tmpdir(), "agon-client-"))
  copySources(folder)
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  const compilerOptions = { noEmit: false, declaration: true, rewriteRelativeImportExtensions: true, target: "es2022" }
  const config = {
    extends: join(ROOT, "tsconfig.json"),
    compilerOptions: { ...compilerOptions, rootDir: folder, outDir: dist },
    files: [join(folder, "api/src/index.ts")],
    include: []
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
  try {
    execFileSync(process.execPath, [TSC, "-p", folder], { stdio: "inherit" })
  } finally {
    rmSync(folder, { recursive: true })
  }
  // In the compiled files the compiler has done it, in their types it leaves the imports as they are.
  rewrite(dist, ".d.ts", (text) => text.replace(RELATIVE, "$1.js"))
}

const packClient = (out: string): void => {
  const dist = join(out, "dist")
  compile(dist)
  const { dependencies, version } = JSON.parse(readFileSync(join(PACKAGES, "api/package.json"), "utf8")) as {
    readonly version: string
    readonly dependencies: Readonly<Record<string, string>>
  }
  const entry = (name: string) => ({ types: `./dist/api/src/${name}.d.ts`, default: `./dist/api/src/${name}.js` })
  const manifest = {
    name: "@agon/client",
    version,
    description: "The typed client of Agon's API, with its schemas",
    sideEffects: false,
    exports: { ".": entry("index"), "./*": entry("*") },
    dependencies: { effect: dependencies["effect"] }
  }
  makePackage(out, manifest, "docs/client.md")
}

await toFolder("packClient.ts", packClient)
