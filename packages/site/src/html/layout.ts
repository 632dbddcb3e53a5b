/** The frame of every page: head, skip link, header, main, footer. */
import { iconAt, styleAt } from "./assets.ts"
import { ATOM } from "./atom.ts"
import { type Html, html } from "./Html.ts"
import { kitAt } from "./links.ts"
import { plainLine } from "./plainLine.ts"

export interface Page {
  /** Plain text, which may hold what people wrote. */
  readonly title: string
  readonly main: Html
  /** The page in a sentence or two, for previews of links and for search engines. Plain text, which may hold what people wrote. */
  readonly description?: string
  readonly picture?: Picture
  readonly status?: number
  /** Where the page is only the way to another; relative to this origin. */
  readonly location?: string
  /** Besides those of every page; of pages that are not kept. */
  readonly headers?: Readonly<Record<string, string>>
  /** Tags of scripts that the page loads. */
  readonly scripts?: Html
  readonly feeds?: ReadonlyArray<FeedLink>
}

/** A PNG for previews of links, and what it shows in a sentence. */
export interface Picture {
  readonly path: string
  readonly alt: string
}

const TITLE_MAX = 100
const DESCRIPTION_MAX = 200

/** An Atom feed that belongs to a page. */
export interface FeedLink {
  readonly path: string
  readonly title: string
}

const feedLink = ({ path, title }: FeedLink): Html =>
  html`<link rel="alternate" type="${ATOM}" title="${plainLine(title, TITLE_MAX)}" href="${path}">\n`

/** Previews of links take no SVG, and whole addresses alone. */
const pictured = ({ alt, path }: Picture, origin: string): Html => html`<meta property="og:image" content="${origin}${path}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:alt" content="${plainLine(alt, DESCRIPTION_MAX)}">
<meta name="twitter:card" content="summary">
`

const preview = (title: string, description: string): Html => html`<meta property="og:site_name" content="Agon">
<meta property="og:title" content="${plainLine(title, TITLE_MAX)}">
<meta name="description" property="og:description" content="${plainLine(description, DESCRIPTION_MAX)}">
`

/** `signIn`: whether the service has a way to sign in. `origin`: that under which people reach the pages. */
export const layout = ({ description, feeds = [], main, picture, scripts, title }: Page, signIn: boolean, origin = ""): string =>
  `<!doctype html>${html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${plainLine(title, TITLE_MAX)} – Agon</title>
${description !== undefined && preview(title, description)}${picture !== undefined && pictured(picture, origin)}<link rel="icon" href="${iconAt}" type="image/svg+xml">
<link rel="stylesheet" href="${styleAt}">
${feeds.map(feedLink)}${scripts}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<a href="/">Agon</a>
<nav aria-label="Site"><ul>
<li><a href="/#seasons">Seasons</a></li>
<li><a href="/matches">Matches</a></li>
<li><a href="/news">News</a></li>
<li><a href="${kitAt("readme")}">Take part</a></li>
${signIn && html`<li><a href="/me">My page</a></li>\n`}</ul></nav>
</header>
<main id="main" tabindex="-1">
${main}
</main>
<footer>
<p>Competitions between trained models. Every rated match can be recomputed by its rules.</p>
<nav aria-label="More"><ul>
<li><a href="${kitAt("rules")}">Rules of the games</a></li>
<li><a href="${kitAt("ratings")}">Ratings</a></li>
<li><a href="/docs">API</a></li>
</ul></nav>
</footer>
</body>
</html>
`}`
