/** Packages declare exactly the npm packages that they import, at one exact version. */
import type { Finding, Manifest, Package, Source, Tree } from "../Tree.ts"

export function* dependencies(tree: Tree): Iterable<Finding> {
  for (const declared of tree.packages) {
    const sources = tree.sources.filter((source) => source.package === declared.folder)
    yield* undeclared(declared, sources, tree)
    if (sources.length > 0) yield* unused(declared, sources, tree)
    yield* loose(declared.path, declared.text, declared.manifest)
  }
  yield* outside(tree)
  const own = tree.files.find(({ path }) => path === "package.json")
  if (own !== undefined) yield* loose(own.path, own.text, tree.manifest)
}

const namesIn = ({ dependencies, devDependencies, optionalDependencies, peerDependencies }: Manifest): ReadonlySet<string> =>
  new Set(Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies }))

/** Types come from the package itself or from its namesake under @types. */
const holds = (names: ReadonlySet<string>, name: string) =>
  names.has(name) || names.has(`@types/${name.replace(/^@/, "").replace("/", "__")}`)

/** A test may also use what the root declares for development. */
function* undeclared({ folder, manifest }: Package, sources: ReadonlyArray<Source>, tree: Tree): Iterable<Finding> {
  const names = namesIn(manifest)
  const root = namesIn(tree.manifest)
  for (const source of sources) {
    for (const { specifier, target, line } of source.imports) {
      const name = target.kind === "npm" ? target.name : workspaceName(specifier, tree)
      if (name === undefined || name === manifest.name || holds(names, name) || (source.test && holds(root, name))) continue
      const message = `${name} is not declared: add it, at an exact version, to the dependencies of packages/${folder}/package.json`
      yield { file: source.path, line, rule: "dependency", message }
    }
  }
}

const workspaceName = (specifier: string, tree: Tree) =>
  tree.packages.find(({ manifest }) => specifier === manifest.name || specifier.startsWith(`${manifest.name}/`))?.manifest.name

function* unused({ path, text, manifest }: Package, sources: ReadonlyArray<Source>, tree: Tree): Iterable<Finding> {
  const specifiers = sources.flatMap((source) => source.imports.map((reference) => reference.specifier))
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    if (specifiers.some((specifier) => specifier === name || specifier.startsWith(`${name}/`))) continue
    const ours = tree.packages.some((candidate) => candidate.manifest.name === name)
    const message = `${name} is declared but never imported: remove it${ours ? " until it is needed" : ""}`
    yield { file: path, line: lineOf(text, name), rule: "dependency", message }
  }
}

/** Tests and scripts run from the root and may use what the root or any package declares. */
function* outside(tree: Tree): Iterable<Finding> {
  const names = new Set(
    [tree.manifest, ...tree.packages.map((declared) => declared.manifest)].flatMap((manifest) => [...namesIn(manifest)])
  )
  for (const source of tree.sources) {
    if (source.package !== undefined) continue
    for (const { target, line } of source.imports) {
      if (target.kind !== "npm" || holds(names, target.name)) continue
      const message = `${target.name} is declared nowhere: add it to the root's devDependencies`
      yield { file: source.path, line, rule: "dependency", message }
    }
  }
}

function* loose(path: string, text: string, manifest: Manifest): Iterable<Finding> {
  const all = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies }
  for (const [name, version] of Object.entries(all)) {
    if (/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version)) continue
    yield { file: path, line: lineOf(text, name), rule: "dependency", message: `${name} is asked for as ${version}: pin one exact version` }
  }
}

const lineOf = (text: string, name: string) => text.slice(0, Math.max(0, text.indexOf(`"${name}":`))).split("\n").length
