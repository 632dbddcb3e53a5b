/** Files that pages load, held in memory and named by their content, so that browsers keep them for good. */
import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { extname, join } from "node:path"
import type { IslandFile } from "../islands.ts"
import { pictureStyles } from "../picture/styles.ts"

export interface Asset {
  readonly contentType: string
  readonly body: Buffer
}

const ROOT = "/assets/"
const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8"
}

/** Machines find nothing in the API that the pages do not say, and a personal page is nobody else's. */
const ROBOTS: Asset = {
  contentType: TYPES[".txt"]!,
  body: Buffer.from("User-agent: *\nDisallow: /v1/\nDisallow: /me\nDisallow: /admin\nDisallow: /private/\n")
}

const own = (name: string, more = ""): readonly [string, Asset] => {
  const body = Buffer.from(readFileSync(join(import.meta.dirname, name), "utf8") + more)
  const extension = extname(name)
  const named = `${name.slice(0, -extension.length)}-${hash("sha256", body, "hex").slice(0, 12)}${extension}`
  return [`${ROOT}${named}`, { body, contentType: TYPES[extension]! }]
}

const PARTS = ["table.css", "form.css", "match.css", "chart.css"].map((name) => readFileSync(join(import.meta.dirname, name), "utf8"))
const STYLE = own("site.css", `${PARTS.join("")}${pictureStyles}`)
const ICON = own("favicon.svg")

export const styleAt = STYLE[0]
export const iconAt = ICON[0]

/** By their paths; the scripts of islands have their hash in their names already. */
export const assetsOf = (islands: ReadonlyMap<string, IslandFile>): ReadonlyMap<string, Asset> => {
  const scripts = [...islands].map(
    ([name, { content_type, text }]) => [`${ROOT}${name}`, { contentType: content_type, body: Buffer.from(text) }] as const
  )
  return new Map([STYLE, ICON, ["/favicon.ico", ICON[1]], ["/robots.txt", ROBOTS], ...scripts])
}
