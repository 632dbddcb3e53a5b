import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { assert, it } from "@effect/vitest"
import { codingFor, inCoding, isNamed, rendered, tagFor } from "./Rendered.ts"

it("the smallest coding that a browser accepts is taken, for pages that are worth it", () => {
  assert.strictEqual(codingFor("gzip, deflate, br", 5_000), "br")
  assert.strictEqual(codingFor("gzip;q=0.5, br;q=0", 5_000), "gzip")
  assert.strictEqual(codingFor("br;q=0.0, gzip; q=0", 5_000), "identity")
  assert.strictEqual(codingFor("deflate", 5_000), "identity")
  assert.strictEqual(codingFor(undefined, 5_000), "identity")
  assert.strictEqual(codingFor("br", 100), "identity")
})

it("each coding is the same page under a tag of its own, compressed once, be it short or long", async () => {
  const page = rendered("page ".repeat(1_000))
  for (const each of [page, rendered("long page ".repeat(10_000))]) {
    assert.strictEqual(inCoding(each, "br"), inCoding(each, "br"))
    assert.deepStrictEqual(brotliDecompressSync(await inCoding(each, "br")), each.body)
    assert.deepStrictEqual(gunzipSync(await inCoding(each, "gzip")), each.body)
  }
  assert.strictEqual(tagFor(page.etag, "br"), `${page.etag.slice(0, -1)}-br"`)
  assert.isTrue(isNamed(`"other", W/${page.etag}`, page.etag))
  assert.isTrue(isNamed("*", page.etag))
  assert.isFalse(isNamed(`"other"`, page.etag))
  assert.isFalse(isNamed(undefined, page.etag))
})

it("a page holds the memory of its bytes and no more", async () => {
  const page = rendered("page – ".repeat(1_000))
  for (const body of [page.body, await inCoding(page, "br"), await inCoding(page, "gzip")]) {
    assert.strictEqual(body.buffer.byteLength, body.length)
  }
})
