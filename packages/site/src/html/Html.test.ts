import { isStringOneByteRepresentation } from "node:v8"
import { assert, describe, it } from "@effect/vitest"
import { parse } from "parse5"
import { html, prose, said } from "./Html.ts"
import { layout } from "./layout.ts"
import { followable, link, withQuery } from "./links.ts"
import { bytes, count, decimal, duration, signed, signedWhole, time } from "./words.ts"

/** Names that people have tried elsewhere: markup, attributes, another direction, emoji, length. */
const HOSTILE = [
  `<script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `' autofocus onfocus='alert(1)`,
  `</title></svg><script>alert(1)</script>`,
  "\u202egnihtyna\u2066",
  "👩‍👩‍👧‍👦".repeat(20),
  "a".repeat(10_000),
  "&lt;b&gt; ${x} {{x}}"
]

/** Every element of a page, and its attributes' names. */
const shapeOf = (page: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const visit = (node: any) => {
    if (node.tagName !== undefined) found.push([node.tagName, ...node.attrs.map(({ name }: { name: string }) => name)].join(" "))
    for (const child of node.childNodes ?? []) visit(child)
  }
  visit(parse(page))
  return found
}

const pageOf = (text: string) =>
  layout({ title: text, main: html`<h1 title="${text}">${said(text)}</h1>${prose(text)}${link(withQuery("/x", { q: text }), text)}` }, true)

describe("a page", () => {
  it("has the same elements and attributes whatever a name in it is", () => {
    for (const name of HOSTILE) assert.deepStrictEqual(shapeOf(pageOf(name)), shapeOf(pageOf("Ada")), name.slice(0, 40))
  })

  it("isolates the direction of names, and has no character in its title that turns it", () => {
    const page = pageOf("\u202eabc")
    assert.include(page, "<bdi>\u202eabc</bdi>")
    assert.include(page, "<title>abc &#8211; Agon</title>")
  })

  it("escapes every character that means something in text or in an attribute, each time it comes", () => {
    assert.strictEqual(String(html`<p>${`&<>"' &<>"'`}</p>`), "<p>&amp;&lt;&gt;&quot;&#39; &amp;&lt;&gt;&quot;&#39;</p>")
  })

  it("escapes an object that claims to be markup, as one from the API could", () => {
    const claims = Object.assign(new String("<b>"), { isEscaped: true }) as unknown as string
    const parsed = JSON.parse('{"isEscaped":true}')
    parsed.toString = () => "<i>"
    assert.strictEqual(String(html`<p>${claims}${[parsed]}${"&"}</p>`), "<p>&lt;b&gt;&lt;i&gt;&amp;</p>")
  })

  it("has its own signs as references and those of a text as they are, so that it takes a byte a character where names do", () => {
    assert.strictEqual(String(html`<p title="“${"–"}”">👩${"👩"}</p>`), '<p title="&#8220;–&#8221;">&#128105;👩</p>')
    assert.isTrue(isStringOneByteRepresentation(pageOf("José")))
    assert.isFalse(isStringOneByteRepresentation(pageOf("–")))
  })

  it("shows neither true nor false nor nothing", () => {
    assert.strictEqual(String(html`<p>${false}${true}${null}${undefined}${[1, html`<b>${"<"}</b>`]}</p>`), "<p>1<b>&lt;</b></p>")
  })
})

describe("a link that a person wrote", () => {
  it("is followed to a path of this origin or a web address, and nowhere else", () => {
    for (const ill of [
      "javascript:alert(1)",
      "//elsewhere.example",
      "/\\elsewhere.example",
      "data:text/html,x",
      "mailto:a@b.c",
      "",
      null
    ]) {
      assert.isUndefined(followable(ill), String(ill))
    }
    assert.strictEqual(followable("/news"), "/news")
    assert.strictEqual(followable("https://agon.example/x"), "https://agon.example/x")
  })

  it("leads from the API's address to the page that shows the same", () => {
    const id = "01950002-0000-7000-8000-000000000001"
    assert.strictEqual(followable(`/v1/threads?match=${id}`), `/matches/${id}#comments`)
    assert.strictEqual(followable(`/v1/private/threads?match=${id}`), `/private/matches/${id}#comments`)
    assert.strictEqual(followable(`/v1/threads?model=${id}`), `/models/${id}#comments`)
    assert.strictEqual(followable(`/v1/private/threads?model=${id}`), `/private/models/${id}#comments`)
    const written = "2026-11-28T10:00:00.000Z"
    assert.strictEqual(
      followable(`/v1/private/threads?model=${id}&comment=${id}&written=${written}`),
      `/private/models/${id}?comment=${id}&written=${encodeURIComponent(written)}#comment-${id}`
    )
    assert.strictEqual(followable(`/v1/private/versions/${id}`), `/private/versions/${id}`)
    assert.strictEqual(followable("/v1/private/games/snakes/seasons/demo/podium"), "/private/games/snakes/seasons/demo")
    assert.strictEqual(followable(`/v1/models/${id}/story`), `/models/${id}#story`)
    assert.strictEqual(followable(`/v1/versions/${id}`), `/versions/${id}`)
    assert.strictEqual(followable("/v1/games/snakes/seasons/demo/podium"), "/games/snakes/seasons/demo")
    assert.strictEqual(followable(`/v1/me/versions/${id}`), `/me/versions/${id}`)
    assert.isUndefined(followable(`/v1/me/drafts/${id}`))
  })
})

it("numbers, sizes and times read as people write them", () => {
  assert.strictEqual(String(time("2026-11-02T09:05:01.000Z")), `<time datetime="2026-11-02T09:05:01.000Z">2 Nov 2026, 09:05 UTC</time>`)
  assert.deepStrictEqual([count(0), count(999), count(1_000), count(12_345_678)], ["0", "999", "1,000", "12,345,678"])
  assert.deepStrictEqual([2.4, -2.6, -0.4].map(signedWhole).map(String), ["+2", "&#8722;3", "0"])
  assert.deepStrictEqual([decimal(-0.01), decimal(-1.25), signed(2), signed(-2), signed(0)], ["0.0", "−1.3", "+2.0", "−2.0", "0.0"])
  assert.deepStrictEqual([0.04, -0.04, 0.05].map(signed), ["0.0", "0.0", "+0.1"], "no sign of what is shown as nothing")
  assert.deepStrictEqual([bytes(1), bytes(2), bytes(1_536), bytes(2 ** 31)], ["1 byte", "2 bytes", "1.5 KiB", "2 GiB"])
  assert.deepStrictEqual([duration(1), duration(90), duration(600), duration(7_200)], ["1 second", "90 seconds", "10 minutes", "2 hours"])
})
