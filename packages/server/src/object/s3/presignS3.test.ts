import { assert, it } from "@effect/vitest"
import { AwsClient } from "aws4fetch"
import { presignS3 } from "./presignS3.ts"

const credentials = { accessKeyId: "AKIA/test:er", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", region: "eu-central-1" }
const client = new AwsClient({ ...credentials, service: "s3" })

const bases = ["https://s3.example.org/agon", "http://127.0.0.1:9000/agon", "https://example.org/s3 (old)/agon"]
const requests = [
  { method: "GET", key: `weights/sha256/${"ab".repeat(32)}`, headers: {}, expires_s: 3600, datetime: "20261121T034055Z" },
  { method: "GET", key: "replays/0198f2c0-7a3e-7b51-8000-1234567890ab", headers: {}, expires_s: 1, datetime: "20261122T000000Z" },
  {
    method: "PUT",
    key: "incoming/v1/manifest.json",
    headers: { "x-amz-checksum-sha256": "uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=" },
    expires_s: 604_800,
    datetime: "20261121T235959Z"
  }
] as const

it("signs as aws4fetch does, day after day and whatever stands before the bucket", async () => {
  for (const base of bases) {
    const presign = presignS3({ ...credentials, base: new URL(base).href })
    for (const { method, key, headers, expires_s, datetime } of [...requests, ...requests]) {
      const url = new URL(`${base}/${key}?X-Amz-Expires=${expires_s}`)
      const expected = new URL((await client.sign(url, { method, headers, aws: { datetime, signQuery: true } })).url)
      const actual = new URL(presign({ method, key, headers, expires_s, datetime }))
      assert.strictEqual(actual.origin + actual.pathname, expected.origin + expected.pathname)
      assert.deepStrictEqual(Object.fromEntries(actual.searchParams), Object.fromEntries(expected.searchParams))
    }
  }
})
