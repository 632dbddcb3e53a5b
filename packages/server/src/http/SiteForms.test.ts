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

it("reads forms of so many addresses at once, and no more", () => {
  const reader = makeFormReader()
  const bodies = Array.from({ length: 200 }, (_, n) => read(reader, String(n)).body)
  assert.strictEqual(bodies.filter((body) => body !== undefined).length, 128)
})
