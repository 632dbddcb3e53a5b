/** A V8 CPU profile read: self time by package and by function, in us a request. */

interface Node {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
}

export interface Profile {
  readonly nodes: ReadonlyArray<Node>
  readonly samples: ReadonlyArray<number>
  readonly timeDeltas: ReadonlyArray<number>
}

const FUNCTIONS_SHOWN = 40
const IDLE = new Set(["(idle)", "(root)", "(program)"])

/** `effect/sql`, `@effect/sql-pg`, `node:net`, `server/leaderboard`: where somebody would look. */
const placeOf = ({ functionName, url }: Node["callFrame"]): string => {
  if (url === "") return functionName.startsWith("(") ? functionName : "V8 built in"
  const dependency = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?:src|dist)\/(.*)$/.exec(url)
  if (dependency !== null) return `${dependency[1]}/${dependency[2]!.split("/").slice(0, -1).join("/") || dependency[2]}`
  return /packages\/([^/]+)\/src\/([^/]+)\//.exec(url)?.slice(1).join("/") ?? url.replace(/^.*\//, "")
}

export const summary = ({ nodes, samples, timeDeltas }: Profile, requests: number): string => {
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]))
  const places = new Map<string, number>()
  const functions = new Map<string, number>()
  // The second half: what comes before it is compilation.
  for (let i = samples.length >> 1; i < samples.length; i++) {
    const frame = byId.get(samples[i]!)!
    if (IDLE.has(frame.functionName)) continue
    const name = `${frame.functionName || "(anonymous)"} ${frame.url.replace(/^.*\/(node_modules|packages)\//, "")}:${frame.lineNumber + 1}`
    places.set(placeOf(frame), (places.get(placeOf(frame)) ?? 0) + timeDeltas[i]!)
    functions.set(name, (functions.get(name) ?? 0) + timeDeltas[i]!)
  }
  const total = [...places.values()].reduce((sum, one) => sum + one, 0)
  const table = (counts: ReadonlyMap<string, number>, most: number) =>
    [...counts]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, most)
      .map(([name, us]) => `${((100 * us) / total).toFixed(1).padStart(6)} %  ${name}`)
      .join("\n")
  return `about ${((2 * total) / requests).toFixed(0)} us a request\n\n${table(places, 25)}\n\n${table(functions, FUNCTIONS_SHOWN)}`
}
