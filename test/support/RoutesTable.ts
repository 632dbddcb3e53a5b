/** The table of routes (test/contract/routes.tsv): what each promises. */
import { readFileSync } from "node:fs"

export interface Row {
  readonly method: string
  readonly path: string
  readonly auth: "public" | "session" | "owner" | "optional" | "season-admin" | "platform-admin" | "probe" | "runner"
  readonly success: string
  readonly cache: "shared" | "none"
  readonly rate: string
  readonly source: string
}

export const routeOf = ({ method, path }: Pick<Row, "method" | "path">) => `${method} ${path}`

export const rowsOf = (text: string): ReadonlyArray<Row> =>
  text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#") && !line.startsWith("method\t"))
    .map((line) => {
      const [method, path, auth, success, cache, rate, source] = line.split("\t")
      return { method, path, auth, success, cache, rate, source } as Row
    })

export const table = rowsOf(readFileSync(new URL("../contract/routes.tsv", import.meta.url), "utf8"))
