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

/** Of the community there are comment threads; what else belongs to it, and its administration, is still to come. */
export const isOfCommunity = (row: Row) => (row.source === "4.6" || row.path.startsWith("/v1/admin/")) && !threads.has(routeOf(row))

const threads: ReadonlySet<string> = new Set([
  "GET /v1/threads",
  "POST /v1/threads/comments",
  "DELETE /v1/comments/{id}",
  "POST /v1/comments/{id}/reports",
  "GET /v1/me/comments",
  "GET /v1/profiles/{username}/comments",
  "GET /v1/announcements",
  "GET /v1/stories",
  "GET /v1/posts/{slug}",
  "GET /v1/models/{id}/story",
  "PUT /v1/models/{id}/story",
  "GET /v1/me/models/{id}/story",
  "GET /v1/admin/announcements",
  "POST /v1/admin/announcements",
  "PATCH /v1/admin/announcements/{id}",
  "DELETE /v1/admin/announcements/{id}",
  "GET /v1/admin/posts",
  "POST /v1/admin/posts",
  "PATCH /v1/admin/posts/{slug}",
  "DELETE /v1/admin/posts/{slug}",
  "GET /v1/admin/stories",
  "PATCH /v1/admin/stories/{model}",
  "GET /v1/admin/audit",
  "GET /v1/admin/users",
  "PATCH /v1/admin/users/{username}",
  "GET /v1/admin/words",
  "POST /v1/admin/words",
  "DELETE /v1/admin/words/{word}",
  "GET /v1/admin/threads",
  "GET /v1/games/{game}/picks",
  "GET /v1/me/notifications",
  "POST /v1/me/notifications/read",
  "GET /v1/me/notification-settings",
  "PATCH /v1/me/notification-settings",
  "POST /v1/events",
  "GET /v1/admin/events",
  "GET /v1/admin/notifications",
  "POST /v1/admin/notifications",
  "GET /v1/admin/picks",
  "POST /v1/admin/picks",
  "DELETE /v1/admin/picks/{id}",
  "GET /v1/admin/comments",
  "PATCH /v1/admin/comments/{id}",
  "PATCH /v1/admin/threads/{id}"
])
