/** Reads what `/metrics` says. */

/** A series' value by its name and labels, in any order. */
export const valueOf = (text: string, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined => {
  for (const line of text.split("\n")) {
    const [, found, inside = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (found !== name) continue
    const has = Object.fromEntries([...inside.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, is]) => [key, is]))
    if (Object.entries(labels).every(([key, is]) => has[key] === is)) return Number(value)
  }
  return undefined
}
