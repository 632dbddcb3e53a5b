/** `/errors`, the target of every problem's `type`: one section for each code. Made from the API, so that it is complete. */
import { type ErrorEntry, errorCatalogue } from "@agon/api/Errors.ts"
import { escaped, framed } from "./plainPage.ts"

/** Backticks in a sentence mark names of fields and headers. */
const prose = (text: string) => escaped(text).replace(/`([^`]+)`/g, "<code>$1</code>")

/** Above this many operations they are counted rather than listed. */
const ROUTES_MAX = 12

const routesOf = ({ routes }: ErrorEntry): string => {
  if (routes.length === 0) return "Any path of the service."
  if (routes.length > ROUTES_MAX) return `${routes.length} operations.`
  return `<ul>${routes.map((route) => `<li><code>${escaped(route)}</code></li>`).join("")}</ul>`
}

const section = (entry: ErrorEntry): string => `<section id="${escaped(entry.code)}">
<h2>${entry.status} <code>${escaped(entry.code)}</code></h2>
<p><strong>${escaped(entry.title)}.</strong> ${prose(entry.when)}</p>
${entry.members.length === 0 ? "" : `<p>Also carries ${entry.members.map((name) => `<code>${escaped(name)}</code>`).join(", ")}.</p>`}
<details><summary>Who answers with it</summary>${routesOf(entry)}</details>
</section>`

const STYLE =
  "code { font: .95em ui-monospace, monospace } main > :not(h1) { max-width: 46rem } :target { box-shadow: -.5rem 0 var(--ground), -.75rem 0 var(--mark) }\n"

export const errorsPage = (): string =>
  framed(
    "Errors",
    `<p>A refusal is a problem of RFC 9457, <code>application/problem+json</code>, with <code>type</code>, <code>title</code>, <code>status</code>,
<code>detail</code> and <code>code</code>. Programs go by <code>code</code>; <code>detail</code> is for people.</p>
${errorCatalogue().map(section).join("\n")}`,
    STYLE
  )
