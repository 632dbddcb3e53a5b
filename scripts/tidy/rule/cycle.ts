/**
 * Cycles between packages, between the folders of a package and between files; an import of types counts,
 * since it ties two files just as much. Folders that stand side by side, at any depth, may not need each
 * other; the files beside them are the hall from which they are entered, and count for none of them.
 * Tests may import what they like.
 */
import type { Finding, Source, Tree } from "../Tree.ts"

interface Edge {
  readonly to: string
  readonly file: string
  readonly line: number
}

type Graph = Map<string, Array<Edge>>

export function* cycles(tree: Tree): Iterable<Finding> {
  const files: Graph = new Map()
  const packages: Graph = new Map()
  const folders: Graph = new Map()
  for (const source of tree.sources) {
    for (const { target, line, address } of source.imports) {
      if (target.kind !== "ours" || address) continue
      add(files, source.path, { to: target.path, file: source.path, line })
      const rooms = roomsOf(source, target.path)
      if (rooms !== undefined) add(folders, rooms.from, { to: rooms.to, file: source.path, line })
      const imported = target.path.match(/^packages\/([^/]+)\//)?.[1]
      if (source.package === undefined || imported === undefined || imported === source.package) continue
      add(packages, source.package, { to: imported, file: source.path, line })
    }
  }
  yield* report(packages, "packages")
  yield* report(folders, "folders")
  yield* report(files, "files")
}

/** The two folders side by side that an import goes from and to: those under the last folder which holds both files. */
function roomsOf({ package: owner, path, test }: Source, target: string): { from: string; to: string } | undefined {
  if (test || owner === undefined || !target.startsWith(`packages/${owner}/src/`)) return undefined
  const [own, other] = [path.split("/"), target.split("/")]
  const apart = own.findIndex((part, depth) => part !== other[depth])
  if (apart < 0 || apart >= own.length - 1 || apart >= other.length - 1) return undefined
  return { from: own.slice(0, apart + 1).join("/"), to: other.slice(0, apart + 1).join("/") }
}

const add = (graph: Graph, from: string, edge: Edge) => {
  const edges = graph.get(from)
  if (edges === undefined) graph.set(from, [edge])
  else edges.push(edge)
}

/** One finding per knot: the shortest way round from its first member, at the import that begins it. */
function* report(graph: Graph, what: string): Iterable<Finding> {
  for (const knot of knots(graph)) {
    const start = [...knot].sort()[0] ?? ""
    const edges = shortestCycle(graph, start, knot)
    const [first] = edges
    if (first === undefined) continue
    const message = `cycle between ${what}: ${[start, ...edges.map((edge) => edge.to)].join(" -> ")}`
    yield { file: first.file, line: first.line, rule: "cycle", message }
  }
}

/** Tarjan's strongly connected components that hold a cycle. */
function knots(graph: Graph): Array<Set<string>> {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: Array<string> = []
  const open = new Set<string>()
  const found: Array<Set<string>> = []
  const enter = (name: string): number => {
    const own = index.size
    let lowest = own
    index.set(name, own)
    stack.push(name)
    open.add(name)
    for (const { to } of graph.get(name) ?? []) {
      if (!index.has(to)) lowest = Math.min(lowest, enter(to))
      else if (open.has(to)) lowest = Math.min(lowest, index.get(to) ?? own)
    }
    low.set(name, lowest)
    if (lowest === own) {
      const knot = new Set(stack.splice(stack.indexOf(name)))
      for (const member of knot) open.delete(member)
      if (knot.size > 1 || graph.get(name)?.some((edge) => edge.to === name)) found.push(knot)
    }
    return low.get(name) ?? own
  }
  for (const name of graph.keys()) if (!index.has(name)) enter(name)
  return found
}

function shortestCycle(graph: Graph, start: string, knot: ReadonlySet<string>): ReadonlyArray<Edge> {
  const seen = new Set([start])
  let paths: Array<ReadonlyArray<Edge>> = [[]]
  while (paths.length > 0) {
    const longer: Array<ReadonlyArray<Edge>> = []
    for (const path of paths) {
      for (const edge of graph.get(path.at(-1)?.to ?? start) ?? []) {
        if (edge.to === start) return [...path, edge]
        if (!knot.has(edge.to) || seen.has(edge.to)) continue
        seen.add(edge.to)
        longer.push([...path, edge])
      }
    }
    paths = longer
  }
  return []
}
