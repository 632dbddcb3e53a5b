import { assert, describe, it } from "@effect/vitest"
import { parseFragment } from "parse5"
import { cpuOf } from "../../../../test/support/cpuOf.ts"
import { MARKDOWN_LENGTH_MAX, markdown, PARTS_MAX } from "./markdown.ts"

interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly depth: number
}

const elementsOf = (text: string): ReadonlyArray<Element> => {
  const found: Array<Element> = []
  const visit = (node: any, depth: number) => {
    if (node.tagName !== undefined) {
      const attributes = Object.fromEntries(node.attrs.map(({ name, value }: { name: string; value: string }) => [name, value]))
      found.push({ name: node.tagName, attributes, depth })
    }
    for (const child of node.childNodes ?? []) visit(child, depth + 1)
  }
  visit(parseFragment(String(markdown(text, 1))), 0)
  return found
}

const ELEMENTS = [
  "div",
  "p",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "ul",
  "ol",
  "li",
  "blockquote",
  "pre",
  "code",
  "em",
  "strong",
  "s",
  "a",
  "hr",
  "br"
]
const ATTRIBUTES = ["class", "dir", "rel", "href", "title", "start"]

const assertHarmless = (text: string) => {
  for (const { attributes, depth, name } of elementsOf(text)) {
    assert.include(ELEMENTS, name, text.slice(0, 60))
    for (const attribute of Object.keys(attributes)) assert.include(ATTRIBUTES, attribute, text.slice(0, 60))
    assert.isBelow(depth, 60)
    if (name === "a") {
      assert.match(attributes["href"]!, /^(https?:\/\/|mailto:)/i, text.slice(0, 60))
      assert.strictEqual(attributes["rel"], "nofollow ugc noopener noreferrer")
    }
  }
}

/** A text of this piece over and over, as long as a text may be. */
const filled = (piece: string) => piece.repeat(Math.ceil(MARKDOWN_LENGTH_MAX / piece.length)).slice(0, MARKDOWN_LENGTH_MAX)

describe("Markdown", () => {
  it("becomes paragraphs, lists, quotes, code, emphasis and links", () => {
    assert.strictEqual(
      String(markdown("A *b* **c** `d`\ne\n\n- f\n- g\n\n> h\n\n```js\n<i>\n```\n\n[j](https://k.example/?l=1&m=2 'n')", 2)),
      `<div class="markdown"><p dir="auto">A <em>b</em> <strong>c</strong> <code>d</code>
e</p>
<ul>
<li dir="auto">f</li>
<li dir="auto">g</li>
</ul>
<blockquote dir="auto">
<p dir="auto">h</p>
</blockquote>
<pre><code class="language-js">&lt;i&gt;
</code></pre>
<p dir="auto"><a href="https://k.example/?l=1&amp;m=2" title="n" rel="nofollow ugc noopener noreferrer">j</a></p>
</div>`
    )
  })

  it("has headings below the page's own, with no level left out", () => {
    const levels = elementsOf("### a\n\n# b\n\n###### c\n\n###### d\n\n## e").flatMap(({ name }) => (/^h\d/.test(name) ? [name] : []))
    assert.deepStrictEqual(levels, ["h2", "h2", "h3", "h4", "h3"])
    const deepest = String(markdown("# a\n\n## b\n\n### c\n\n#### d", 4))
    assert.deepStrictEqual(
      [...deepest.matchAll(/<(h\d)/g)].map(([, name]) => name),
      ["h5", "h6", "h6", "h6"]
    )
  })

  it("has links to web and mail addresses alone, however another is written", () => {
    for (const to of ["https://a.example", "HTTP://a.example/b", "mailto:a@b.example"]) {
      assert.lengthOf(
        elementsOf(`[x](${to})`).filter(({ name }) => name === "a"),
        1,
        to
      )
      assertHarmless(`[x](${to})`)
    }
    for (const to of [
      ...["javascript:alert(1)", "JaVaScRiPt:alert(1)", "javascript&colon;alert(1)", "&#106;avascript:alert(1)", "\\javascript:alert(1)"],
      ...["<javascript:alert(1)>", "< javascript:alert(1)>", "\u0001javascript:alert(1)", "java\tscript:alert(1)", "vbscript:x"],
      ...[
        "data:text/html,<script>alert(1)</script>",
        "//elsewhere.example",
        "/me",
        "#main",
        "?x",
        "file:///etc/passwd",
        "http:",
        "https://"
      ],
      `https://a.example/${"a".repeat(3_000)}`
    ]) {
      for (const text of [`[x](${to})`, `<${to}>`, `[x][y]\n\n[y]: ${to}`, `[x](${to} "t")`]) {
        assertHarmless(text)
        assert.isEmpty(
          elementsOf(text).filter(({ name }) => name === "a"),
          text
        )
      }
    }
  })

  it("shows markup, pictures and tables as the text that they are", () => {
    for (const text of [
      "<script>alert(1)</script>",
      "<img src=x onerror=alert(1)>",
      "![x](https://elsewhere.example/pixel.png)",
      "<a href='javascript:alert(1)'>x</a>",
      "<!-- x --><style>*{}</style>",
      "|a|b|\n|-|-|\n|c|d|",
      '[x](https://a.example "\\" onmouseover=alert(1) \\"")',
      '[x](https://a.example/"onmouseover="alert(1))',
      '```" onload=alert(1)\nx\n```',
      "</div></main><h1>Signed out</h1>"
    ]) {
      assertHarmless(text)
    }
    assert.include(String(markdown("<b>x</b>", 1)), "&lt;b&gt;x&lt;/b&gt;")
    assert.include(elementsOf('```" onload=alert(1)\nx\n```').find(({ name }) => name === "code")!.attributes["class"]!, "language-")
  })

  it("takes a bounded time and space for whatever is written in as many characters as there may be", () => {
    const nested = Array.from({ length: 360 }, (_, i) => `${" ".repeat(i)}- a`).join("\n")
    const ticks = Array.from({ length: 350 }, (_, i) => "`".repeat(i)).join(" ")
    const referred = `[a]: https://a.example/${"b".repeat(30_000)}\n\n${"[a]".repeat(10_000)}`
    const pieces = [
      "[",
      "[]",
      "[a](",
      "[a](b)",
      ">",
      "> > > > a\n",
      "*a ",
      "*a **b ",
      "`a",
      "<",
      "<!--",
      "- ",
      "a|b\n-|-\n",
      "&",
      "[a]: b\n"
    ]
    const began = performance.now()
    for (const text of [
      ...[...pieces, "![", "# a\n", "~~a ", '[a](b "', "a**b", "<http://a", "> a\nb\n"].map(filled),
      nested,
      ticks,
      referred
    ]) {
      assert.isBelow(String(markdown(text, 1)).length, 20 * MARKDOWN_LENGTH_MAX, text.slice(0, 10))
      assertHarmless(text.slice(0, 4_000))
    }
    assert.isBelow(performance.now() - began, 120_000) // half a second each on a machine that does nothing else
    assert.include(String(markdown(`*a*${"b".repeat(MARKDOWN_LENGTH_MAX)}`, 1)), "*a*", "a longer text is shown as it was written")
  })

  it("is shown as it was written where it has more parts than a person writes, and costs no more than the parts that there may be", () => {
    const worst = [
      ...[">>>>>>>>>a\n\n", `${">".repeat(18)}a\n\n`, "- - - - - - - - - a\n\n", "-\n+\n", "1.\n2)\n", "> - > - > - a\n\n"],
      ...["#\n", "<a@b>", "*a* ", "[*a*](http://a)"]
    ]
    for (const piece of worst) {
      const text = piece.repeat(20_000 / piece.length)
      assert.isBelow(String(markdown(text, 1)).length, 10 * text.length, piece)
    }
    const [quotes = ""] = worst
    const cost = (text: string) => cpuOf(() => Array.from({ length: 40 }, () => markdown(text, 1)))
    const few = quotes.repeat(PARTS_MAX / 25)
    assert.include(String(markdown(few, 1)), "<blockquote")
    assert.isBelow(cost(filled(quotes)), 8 * cost(few))
    assert.include(String(markdown(filled(quotes), 1)), "&gt;&gt;&gt;a")
    const items = "- a line of a list, **said** loudly\n".repeat(550)
    assert.lengthOf([...String(markdown(items, 1)).matchAll(/<strong>/g)], 550)
  })
})
