import { assert, it } from "@effect/vitest"
import { makeKeptPages } from "./KeptPages.ts"

const asked = { method: "GET", url: "/games", headers: {} }
const page = (reads: string | undefined, fresh_ms = 1_000) => ({
  status: 200,
  headers: {
    "cache-control": "public, no-cache",
    "agon-fresh-ms": String(fresh_ms),
    ...(reads === undefined ? {} : { "agon-reads": reads })
  },
  body: Buffer.from("a page")
})

/** Kept pages at a time of the test, over a cache of the test. */
const ground = () => {
  const clock = { now_ms: 5_000 }
  const tags = new Map([
    ["/v1/games", '"a"'],
    ["/v1/matches?sort=newest&limit=5", '"b"']
  ])
  const kept = makeKeptPages({ tagOf: (url) => tags.get(url), now: () => clock.now_ms })
  return { clock, kept, tags, shows: () => kept.get(asked) !== undefined }
}
const READS = '"a" /v1/games "b" /v1/matches?sort=newest&limit=5'

it("a page whose reads are as they were is shown for ten seconds", () => {
  const { clock, kept, shows } = ground()
  kept.keep(asked, page(READS))
  for (const after_ms of [0, 999, 1_001, 9_999]) {
    clock.now_ms = 5_000 + after_ms
    assert.isTrue(shows(), String(after_ms))
  }
  clock.now_ms = 15_000
  assert.isFalse(shows())
})

it("a page of which one read has changed, or is kept no more, is shown for the rest of the site's second alone", () => {
  for (const [url, tag] of [
    ["/v1/games", '"c"'],
    ["/v1/matches?sort=newest&limit=5", undefined]
  ] as const) {
    const { clock, kept, shows, tags } = ground()
    kept.keep(asked, page(READS, 400))
    if (tag === undefined) tags.delete(url)
    else tags.set(url, tag)
    clock.now_ms += 399
    assert.isTrue(shows())
    clock.now_ms += 1
    assert.isFalse(shows())
    tags.set(url, url === "/v1/games" ? '"a"' : '"b"')
    assert.isTrue(shows(), "the same answer again")
  }
})

it("a page is not shown for longer than the site's second, whatever the site says", () => {
  for (const fresh_ms of [1_001, 61_000, 99_999]) {
    const { clock, kept, shows } = ground()
    kept.keep(asked, page(undefined, fresh_ms))
    assert.isTrue(shows())
    clock.now_ms += 1_000
    assert.isFalse(shows(), String(fresh_ms))
  }
})

it("a page whose reads the site does not name is shown for the rest of the site's second alone", () => {
  for (const reads of [undefined, "", '"a"']) {
    const { clock, kept, shows } = ground()
    kept.keep(asked, page(reads))
    assert.isTrue(shows())
    clock.now_ms += 1_000
    assert.isFalse(shows(), reads)
  }
})

it("a kept page holds the memory of its bytes and no more", () => {
  const { kept } = ground()
  kept.keep(asked, page(READS))
  assert.strictEqual(kept.get(asked)!.body.buffer.byteLength, "a page".length)
})

it("a page is not kept that is its visitor's own, that the site calls private, or that is no page", () => {
  const { kept } = ground()
  const { headers } = page(undefined)
  const ask = { ...asked, url: "/me" }
  kept.keep(ask, page(undefined))
  assert.isUndefined(kept.get(ask))
  assert.isFalse(kept.isKept(ask))
  for (const change of [{ headers: { ...headers, "cache-control": "private, no-cache" } }, { status: 404 }, { status: 503 }]) {
    kept.keep(asked, { ...page(undefined), ...change })
    assert.isUndefined(kept.get(asked), JSON.stringify(change))
  }
  kept.keep(asked, page(undefined))
  assert.isDefined(kept.get(asked))
  assert.isUndefined(kept.get({ ...asked, method: "POST" }))
})
