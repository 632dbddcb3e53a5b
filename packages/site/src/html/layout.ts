/** The frame of every page: head, skip link, header, main, footer. */
import { iconAt, styleAt } from "./assets.ts"
import { type Html, html } from "./Html.ts"
import { kitAt } from "./links.ts"

export interface Page {
  /** Plain text; what people wrote may be in it. */
  readonly title: string
  readonly main: Html
  readonly status?: number
  /** Where the page is only the way to another; relative to this origin. */
  readonly location?: string
  /** Besides those of every page; of pages that are not kept. */
  readonly headers?: Readonly<Record<string, string>>
  /** Tags of scripts that the page loads. */
  readonly scripts?: Html
}

const TITLE_MAX = 100

/** A title is no element, so that it can isolate nothing: characters that turn the direction are left out. */
const titled = (title: string) => {
  const plain = title.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Cc}]/gu, "")
  return [...plain].slice(0, TITLE_MAX).join("")
}

/** `signIn`: whether the service has a way to sign in. */
export const layout = ({ main, scripts, title }: Page, signIn: boolean): string =>
  `<!doctype html>${html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titled(title)} – Agon</title>
<link rel="icon" href="${iconAt}" type="image/svg+xml">
<link rel="stylesheet" href="${styleAt}">
${scripts}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<a href="/">Agon</a>
<nav aria-label="Site"><ul>
<li><a href="/matches">Matches</a></li>
<li><a href="/news">News</a></li>
<li><a href="${kitAt("readme")}">Take part</a></li>
<li><a href="/docs">API</a></li>
${signIn && html`<li><a href="/me">My page</a></li>\n`}</ul></nav>
</header>
<main id="main" tabindex="-1">
${main}
</main>
<footer>Competitions between trained models. Every rated match can be recomputed by its rules.</footer>
</body>
</html>
`}`
