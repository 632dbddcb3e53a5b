import { assert, describe, it } from "@effect/vitest"
import { manual } from "./manual.ts"

const shown = (text: string) => String(manual(text, (to) => (to.startsWith("here") ? `/${to}` : undefined)))

describe("Markdown of our own", () => {
  it("has tables that scroll by themselves, each with a name", () => {
    const table = "| | width |\n| --- | --- |\n| a | 1 |\n"
    const text = shown(`${table}\n${table}`)
    assert.match(text, /<div class="scroll" role="region" aria-label="Table 1" tabindex="0"><table>/)
    assert.include(text, 'aria-label="Table 2"')
    assert.include(text, '<th scope="col">width</th>')
    assert.include(text, "<td></td>", "an empty corner is no heading")
  })

  it("gives each heading an address", () => {
    assert.include(shown("## Read `yours`, now"), '<h2 id="read-yours-now">')
  })

  it("follows links that lead somewhere on the site, and shows others as text", () => {
    assert.include(
      shown("[one](here/a) and [two](../b.py), [three](here/c)"),
      '<a href="/here/a">one</a> and two, <a href="/here/c">three</a>'
    )
  })

  it("leaves pictures out and shows HTML as text", () => {
    assert.notMatch(shown("![A board](board.svg)\n\n<img src=x>"), /<img|board/)
  })
})
