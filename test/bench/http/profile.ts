/** A V8 CPU profile read: self time by package and by function, and time with all that is called from a function. */

interface Node {
  readonly id: number
  readonly children?: ReadonlyArray<number>
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
}

export interface Profile {
  readonly nodes: ReadonlyArray<Node>
  readonly samples: ReadonlyArray<number>
  readonly timeDeltas: ReadonlyArray<number>
}

const FUNCTIONS_SHOWN = 30
const INCLUSIVE_SHOWN = 120
const IDLE = new Set(["(idle)", "(root)", "(program)"])

/** `effect/sql`, `@effect/sql-pg`, `node:net`, `server/leaderboard`: where somebody would look. */
const placeOf = ({ functionName, url }: Node["callFrame"]): string => {
  if (url === "") return functionName.startsWith("(") ? functionName : "V8 built in"
  const dependency = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?:src|dist)\/(.*)$/.exec(url)
  if (dependency !== null) return `${dependency[1]}/${dependency[2]!.split("/").slice(0, -1).join("/") || dependency[2]}`
  return /packages\/([^/]+)\/src\/([^/]+)\//.exec(url)?.slice(1).join("/") ?? url.replace(/^.*\//, "")
}

const nameOf = ({ functionName, lineNumber, url }: Node["callFrame"]) =>
  `${functionName || "(anonymous)"} ${url.replace(/^.*\/(node_modules|packages)\//, "")}:${lineNumber + 1}`

export const summary = ({ nodes, samples, timeDeltas }: Profile, requests: number): string => {
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]))
  const places = new Map<string, number>()
  const functions = new Map<string, number>()
  const inclusive = new Map<string, number>()
  const parents = new Map(nodes.flatMap(({ children = [], id }) => children.map((child) => [child, id] as const)))
  const add = (counts: Map<string, number>, name: string, us: number) => counts.set(name, (counts.get(name) ?? 0) + us)
  // The second half: the first is compilation.
  for (let i = samples.length >> 1; i < samples.length; i++) {
    const frame = byId.get(samples[i]!)!
    if (IDLE.has(frame.functionName)) continue
    const us = timeDeltas[i]!
    add(places, placeOf(frame), us)
    add(functions, nameOf(frame), us)
    const above = new Set<string>()
    for (let id: number | undefined = samples[i]!; id !== undefined; id = parents.get(id)) above.add(nameOf(byId.get(id)!))
    for (const name of above) add(inclusive, name, us)
  }
  const total = [...places.values()].reduce((sum, one) => sum + one, 0)
  const table = (counts: ReadonlyMap<string, number>, most: number) =>
    [...counts]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, most)
      .map(([name, us]) => `${((100 * us) / total).toFixed(1).padStart(6)} %  ${name}`)
      .join("\n")
  return `about ${((2 * total) / requests).toFixed(0)} us a request\n\nby package\n${table(places, 25)}\n\nby function\n${table(functions, FUNCTIONS_SHOWN)}\n\nwith what they call\n${table(inclusive, INCLUSIVE_SHOWN)}`
}
