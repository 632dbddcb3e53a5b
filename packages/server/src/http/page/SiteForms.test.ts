import type { IncomingMessage } from "node:http"
import { PassThrough } from "node:stream"
import { assert, it } from "vitest"
import { makeFormReader } from "./SiteForms.ts"

const arriving = () => Object.assign(new PassThrough(), { headers: {} })
const read = (reader: ReturnType<typeof makeFormReader>, address: string) => {
  const request = arriving()
  return { request, body: reader(request as unknown as IncomingMessage, address) }
}

it("reads four forms of an address at once, those of others meanwhile, and the next when one has arrived or gone", async () => {
  const reader = makeFormReader()
  const [first, second, ...others] = Array.from({ length: 4 }, () => read(reader, "one"))
  assert.isUndefined(read(reader, "one").body)
  const another = read(reader, "other")
  another.request.end("form=b")
  assert.strictEqual(String(await another.body), "form=b")
  first!.request.end("form=a")
  assert.strictEqual(String(await first!.body), "form=a")
  second!.request.destroy()
  await second!.body!.catch(() => undefined)
  const next = [read(reader, "one"), read(reader, "one")]
  assert.isUndefined(read(reader, "one").body)
  for (const { request } of [...others, ...next]) request.end("")
  await Promise.all([...others, ...next].map(({ body }) => body))
})

it("reads so many forms at once, and gives up the oldest for that of another address", async () => {
  const reader = makeFormReader()
  const slow = Array.from({ length: 512 }, (_, n) => read(reader, String(n % 128)))
  for (const { request } of slow) request.write("f")
  const another = read(reader, "other")
  assert.strictEqual(slow[0]!.request.listenerCount("data"), 0, "no more of it is kept")
  assert.strictEqual(await slow[0]!.body, "given_up")
  another.request.end("form=b")
  assert.strictEqual(String(await another.body), "form=b")
  for (const { request } of slow.slice(1)) request.end("orm=a")
  assert.deepStrictEqual([...new Set((await Promise.all(slow.slice(1).map(({ body }) => body))).map(String))], ["form=a"])
})

it("counts a form that it gave up for nobody any more", async () => {
  const reader = makeFormReader()
  const all = Array.from({ length: 1_000 }, (_, n) => read(reader, String(n)))
  assert.isTrue(all.slice(0, -512).every(({ request }) => request.listenerCount("data") === 0))
  const outcomes = await Promise.all(all.slice(0, -512).map(({ body }) => body))
  assert.deepStrictEqual([...new Set(outcomes)], ["given_up"])
  const again = Array.from({ length: 5 }, () => read(reader, "0"))
  assert.deepStrictEqual(
    again.map(({ body }) => body !== undefined),
    [true, true, true, true, false]
  )
})
