/**
 * Atom feeds as a real parser of XML reads them: the expat of Debian's Python, which refuses
 * whatever is not well formed.
 */
import { spawnSync } from "node:child_process"
import { assert } from "@effect/vitest"
import { PYTHON } from "./python.ts"

export interface ReadEntry {
  readonly id: string
  readonly title: string
  readonly published: string
  readonly updated: string
  readonly link: string
  readonly author: string | null
  readonly summary: string
  readonly type: string
}

export interface ReadFeed {
  readonly id: string
  readonly title: string
  readonly updated: string
  /** By their relation. */
  readonly links: Readonly<Record<string, string>>
  readonly entries: ReadonlyArray<ReadEntry>
}

const READER = `
import json, sys
import xml.etree.ElementTree as tree
A = "{http://www.w3.org/2005/Atom}"
feed = tree.fromstring(sys.stdin.buffer.read())
assert feed.tag == A + "feed", feed.tag
text = lambda of, name: of.find(A + name).text or ""
def entry(of):
    author = of.find(A + "author")
    return {**{name: text(of, name) for name in ("id", "title", "published", "updated", "summary")},
            "link": of.find(A + "link").get("href"), "type": of.find(A + "summary").get("type"),
            "author": None if author is None else text(author, "name")}
assert text(feed.find(A + "author"), "name") != ""
json.dump({**{name: text(feed, name) for name in ("id", "title", "updated")},
           "links": {link.get("rel"): link.get("href") for link in feed.findall(A + "link")},
           "entries": [entry(one) for one in feed.findall(A + "entry")]}, sys.stdout)
`

const read = (text: string) => spawnSync(PYTHON, ["-c", READER], { input: text, encoding: "utf8" })

/** Why no feed can be read here, or undefined where they can. */
export const missingReader = (): string | undefined =>
  spawnSync(PYTHON, ["-c", "import xml.etree.ElementTree"]).status === 0 ? undefined : `no ${PYTHON}, see scripts/apt-packages.txt`

export const readFeed = (text: string): ReadFeed => {
  const { status, stderr, stdout } = read(text)
  assert.strictEqual(status, 0, `${stderr}\n${text}`)
  return JSON.parse(stdout)
}
