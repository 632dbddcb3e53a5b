import type { Client } from "@agon/api/Client.ts"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { makeNames, NAMES_MAX } from "./Names.ts"
import { CurrentReading, type Reading } from "./Reads.ts"

type Answer = { readonly name: string; readonly visibility: string }

/** A service of one answer, as the reading client remembers it, whose seasons are counted. */
const fixture = (answer: (slug: string) => Effect.Effect<Answer, unknown>) => {
  const asked: Array<string> = []
  const season = ({ params: { slug } }: { readonly params: { readonly slug: string } }) =>
    Effect.gen(function* () {
      asked.push(slug)
      const reading = yield* CurrentReading
      reading?.reads.push({ request: HttpClientRequest.get(`/${slug}`), etag: '"1"' })
      return yield* answer(slug)
    })
  return { asked, client: { season: { season } } as unknown as Client }
}

const page = (visitor: string): Reading => ({ visitor, reads: [] })
const of = <A>(reading: Reading, read: Effect.Effect<A>) => Effect.provideService(read, CurrentReading, reading)

it.effect("a name is read once for everybody, and no page goes out of date by it", () =>
  Effect.gen(function* () {
    const { asked, client } = fixture((slug) => Effect.succeed({ name: `Season ${slug}`, visibility: "public" }))
    const names = makeNames()
    for (const reading of [page("ada"), page("bob")]) {
      assert.strictEqual(yield* of(reading, names.season(client, "snakes", "spring")), "Season spring")
      assert.deepStrictEqual(reading.reads, [])
    }
    assert.deepStrictEqual(asked, ["spring"])
    assert.strictEqual(yield* of(page("ada"), names.season(client, "othello", "spring")), "Season spring")
    assert.lengthOf(asked, 2, "a season of another game")
  })
)

it.effect("a name is read again after a minute: the season may have been removed, and made anew", () =>
  Effect.gen(function* () {
    let name = "First"
    const { asked, client } = fixture(() => Effect.sync(() => ({ name, visibility: "public" })))
    const read = makeNames().season(client, "snakes", "spring")
    assert.strictEqual(yield* read, "First")
    name = "Second"
    yield* TestClock.adjust("59 seconds")
    assert.deepStrictEqual([yield* read, asked.length], ["First", 1])
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual([yield* read, yield* read, asked.length], ["Second", "Second", 2])
  })
)

it.effect("the name of a private season is read by each who asks for it", () =>
  Effect.gen(function* () {
    const { asked, client } = fixture((slug) => Effect.succeed({ name: `Season ${slug}`, visibility: "private" }))
    const names = makeNames()
    assert.strictEqual(yield* names.season(client, "snakes", "secret"), "Season secret")
    const other = fixture(() => Effect.fail({ status: 404 }))
    assert.strictEqual(yield* names.season(other.client, "snakes", "secret"), "secret")
    assert.deepStrictEqual([asked, other.asked], [["secret"], ["secret"]])
  })
)

it.effect("where a name cannot be read the slug stands for it, on a page that is out of date at once", () =>
  Effect.gen(function* () {
    let away = true
    const { client } = fixture(() =>
      Effect.suspend(() => (away ? Effect.fail("away") : Effect.succeed({ name: "S", visibility: "public" })))
    )
    const names = makeNames()
    const reading = page("ada")
    assert.strictEqual(yield* of(reading, names.season(client, "snakes", "spring")), "spring")
    assert.deepStrictEqual(
      reading.reads.map(({ etag }) => etag),
      [undefined]
    )
    away = false
    assert.strictEqual(yield* names.season(client, "snakes", "spring"), "S")
  })
)

it.effect("names are kept up to a number", () =>
  Effect.gen(function* () {
    const { asked, client } = fixture((slug) => Effect.succeed({ name: slug, visibility: "public" }))
    const names = makeNames()
    for (let n = 0; n <= NAMES_MAX; n++) yield* names.season(client, "snakes", `s-${n}`)
    yield* names.season(client, "snakes", `s-${NAMES_MAX}`)
    assert.lengthOf(asked, NAMES_MAX + 1)
    yield* names.season(client, "snakes", "s-0")
    assert.lengthOf(asked, NAMES_MAX + 2)
  })
)
