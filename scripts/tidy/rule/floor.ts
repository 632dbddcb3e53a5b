/** Who may import whom: the floor plan, relative paths that leave a package, and test/support for tests alone. */
import { floorPlan, programs, withoutBuiltins } from "../floorPlan.ts"
import type { Import } from "../imports.ts"
import { type Finding, isTestSupport, type Package, type Source, type Tree } from "../Tree.ts"

export function* floor(tree: Tree): Iterable<Finding> {
  for (const { folder, path } of tree.packages) {
    if (floorPlan[folder] === undefined) {
      yield { file: path, line: 1, rule: "floor", message: `package ${folder} is not in the floor plan of scripts/tidy/floorPlan.ts` }
    }
  }
  for (const declared of tree.packages) yield* declarations(declared, tree.packages)
  for (const source of tree.sources) {
    for (const reference of source.imports) {
      const message = refusal(source, reference)
      if (message !== undefined) yield { file: source.path, line: reference.line, rule: "floor", message }
    }
  }
}

/** Package manifests must not promise what the table forbids. */
function* declarations({ folder, path, text, manifest }: Package, packages: ReadonlyArray<Package>): Iterable<Finding> {
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.devDependencies, ...manifest.peerDependencies })) {
    const other = packages.find((candidate) => candidate.manifest.name === name)
    if (other === undefined || floorPlan[folder]?.includes(other.folder) === true) continue
    const line = text.slice(0, Math.max(0, text.indexOf(`"${name}"`, text.indexOf("ependencies")))).split("\n").length
    yield { file: path, line, rule: "floor", message: forbidden(folder, other.folder) }
  }
}

function refusal(source: Source, { specifier, target }: Import): string | undefined {
  if (target.kind === "absolute") return `"${specifier}" is a path of one machine: import by a relative path or by package name`
  if (target.kind === "builtin") {
    const pure = source.package !== undefined && withoutBuiltins.includes(source.package) && !source.test
    return pure ? `${source.package} is pure and may not import ${specifier}` : undefined
  }
  if (target.kind === "npm") return undefined
  if (isTestSupport(target.path) && !source.test) return `only tests may import ${target.path.replace(/(support|testing)\/.*/, "$1")}`
  if (target.path.startsWith("test/support/")) return undefined
  if (source.package === undefined) {
    const product = !source.test && target.path.startsWith("test/")
    return product ? `"${specifier}" is a test: only tests may import it` : undefined
  }
  const imported = target.path.match(/^packages\/([^/]+)\//)?.[1]
  if (imported === source.package) return undefined
  if (target.relative) return `"${specifier}" leaves the package: import another package by its name`
  return imported === undefined || floorPlan[source.package]?.includes(imported) === true ? undefined : forbidden(source.package, imported)
}

function forbidden(importer: string, imported: string): string {
  if (programs.includes(importer) && programs.includes(imported))
    return `${importer} and ${imported} are programs, which never import each other`
  const allowed = floorPlan[importer] ?? []
  return `${importer} may not import ${imported}, only ${allowed.length === 0 ? "itself" : allowed.join(", ")}`
}
