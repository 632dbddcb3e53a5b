import { assert, it } from "@effect/vitest"
import { hmacSha256 } from "./hmacSha256.ts"
import { type Grant, readGrant, signedUrl } from "./urlSignature.ts"

const mac = hmacSha256("secret")
const origin = "http://localhost:8080"
const sha256 = "ab".repeat(32)
const put: Grant = { method: "PUT", key: `weights/sha256/${sha256}`, expires: 2_000, sha256, max_bytes: 1_024 }
const get: Grant = { method: "GET", key: "replays/m1", expires: 2_000 }
const target = (grant: Grant): string => signedUrl(mac, origin, grant).slice(origin.length)

it("a signed URL is read back as what it grants until the second it expires", () => {
  assert.deepStrictEqual(readGrant(mac, "PUT", target(put), 1_999), put)
  assert.deepStrictEqual(readGrant(mac, "GET", target(get), 1_999), get)
  assert.deepStrictEqual(readGrant(mac, "PUT", target({ ...put, sha256: null }), 1_999), { ...put, sha256: null })
  assert.strictEqual(readGrant(mac, "GET", target(get), 2_000), "expired")
})

it("another method, key, hash, size, expiry or secret is forged", () => {
  assert.strictEqual(readGrant(mac, "GET", target(put), 0), "forged")
  assert.strictEqual(readGrant(mac, "PUT", target(get), 0), "forged")
  assert.strictEqual(readGrant(hmacSha256("other"), "GET", target(get), 0), "forged")
  const changes: ReadonlyArray<readonly [string, string]> = [
    ["/weights/", "/weighty/"],
    ["expires=2000", "expires=9000"],
    ["max_bytes=1024", "max_bytes=1025"],
    ["max_bytes=1024&", ""],
    [`sha256=${sha256}`, `sha256=${"cd".repeat(32)}`],
    [`&sha256=${sha256}`, ""],
    ["/objects/", "/objects/../objects/"],
    ["/weights/", "/weights%2f"]
  ]
  for (const [from, to] of changes) {
    const url = target(put).replace(from, to)
    assert.notStrictEqual(url, target(put), from)
    assert.strictEqual(readGrant(mac, "PUT", url, 0), "forged", url)
  }
})

it("a URL without a signature, or with half of one, is refused", () => {
  assert.strictEqual(readGrant(mac, "GET", "/objects/replays/m1", 0), "unsigned")
  assert.strictEqual(readGrant(mac, "GET", "/objects/replays/m1?expires=2000", 0), "unsigned")
  assert.strictEqual(readGrant(mac, "GET", target(get).slice(0, -2), 0), "forged")
})
