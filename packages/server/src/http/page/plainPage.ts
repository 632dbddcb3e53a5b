/**
 * Pages of the service's own for visitors of the site, which may be away and its style sheet with it. Each is one document in the site's
 * colours, with the way home; its style is allowed by a hash, and it loads nothing else.
 */
import { pagePolicy } from "../securityHeaders.ts"

export interface PlainPage {
  readonly text: string
  /** Its Content-Security-Policy. */
  readonly policy: string
}

/** The colours, the widths and the header of the site's own sheet (packages/site/src/html/site.css). */
const STYLE = `
:root { color-scheme: light dark; --ground: #fff; --line: #d5dae1; --text: #1b1f24; --faint: #59626e; --link: #0a58b0; --mark: #17458f }
@media (prefers-color-scheme: dark) { :root { --ground: #14171c; --line: #3a424e; --text: #e6e9ee; --faint: #a4adba; --link: #84b6ff; --mark: #b3d2ff } }
html { font: 100% / 1.5 system-ui, sans-serif; background: var(--ground); color: var(--text) }
body { margin: 0 auto; max-width: 76rem; padding: 0 1rem 2rem; box-sizing: border-box; overflow-wrap: anywhere }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: .2em }
:focus-visible { outline: 3px solid var(--mark); outline-offset: 2px }
header { display: flex; flex-wrap: wrap; gap: .25rem 2rem; align-items: baseline; padding: .9rem 0; border-bottom: 1px solid var(--line) }
header > a { font-weight: 800; font-size: 1.3rem; color: var(--text); text-decoration: none }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0; padding: 0; list-style: none }
nav a { text-decoration: none }
nav a:hover { text-decoration: underline }
h1 { margin: 1.75rem 0 .5rem; font-size: 2rem; line-height: 1.2 }
@media (max-width: 40rem) { nav { flex-basis: 100%; font-size: .9375rem } nav ul { gap: .25rem .6rem } h1 { font-size: 1.6rem } }
p { max-width: 46rem }
label { display: block; max-width: 20rem }
input, button { font: inherit; display: block; width: 100%; max-width: 20rem; box-sizing: border-box; margin: .15rem 0 .75rem; padding: .4rem .5rem; color: var(--text); background: var(--ground); border: 1px solid var(--faint); border-radius: .25rem }
button { background: var(--link); border-color: var(--link); color: var(--ground) }
@media (pointer: coarse) { input, button { min-height: 2.75rem } nav a { display: inline-block; padding-block: .75rem } }
footer { margin-top: 4rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--faint); font-size: .9375rem }
`

/** Text of others as markup that shows it. */
export const escaped = (text: string) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)

/**
 * A page of the service's own in the site's look. The title and the content are markup of ours; so is `style`, rules besides those of every
 * page.
 */
export const framed = (title: string, content: string, style = ""): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Agon</title>
<style>${STYLE}${style}</style>
</head>
<body>
<header>
<a href="/">Agon</a>
<nav aria-label="Site"><ul>
<li><a href="/#seasons">Seasons</a></li>
<li><a href="/matches">Matches</a></li>
<li><a href="/news">News</a></li>
<li><a href="/docs">API</a></li>
</ul></nav>
</header>
<main>
<h1>${title}</h1>
${content}
</main>
<footer>Competitions between trained models. Every rated match can be recomputed by its rules.</footer>
</body>
</html>
`

/** `again`: the words of a link to the address that was asked for, with GET. All three are markup. */
export const plainPage = (title: string, sentence: string, again?: string): PlainPage => {
  const way = again === undefined ? "" : `<p><a href="">${again}</a></p>\n`
  const text = framed(title, `<p>${sentence}</p>\n${way}<p><a href="/">To the front page</a></p>`)
  return { text, policy: pagePolicy(text) }
}
