/** `/errors`, the target of every problem's `type`: one section for each code. Made from the API, so that it is complete. */
import { type ErrorEntry, errorCatalogue } from "@agon/api/Errors.ts"

const escape = (text: string) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
/** Backticks in a sentence mark names of fields and headers. */
const prose = (text: string) => escape(text).replace(/`([^`]+)`/g, "<code>$1</code>")

/** Above this many operations they are counted rather than listed. */
const ROUTES_MAX = 12

const routesOf = ({ routes }: ErrorEntry): string => {
  if (routes.length === 0) return "Any path of the service."
  if (routes.length > ROUTES_MAX) return `${routes.length} operations.`
  return `<ul>${routes.map((route) => `<li><code>${escape(route)}</code></li>`).join("")}</ul>`
}

const section = (entry: ErrorEntry): string => `<section id="${escape(entry.code)}">
<h2>${entry.status} <code>${escape(entry.code)}</code></h2>
<p><strong>${escape(entry.title)}.</strong> ${prose(entry.when)}</p>
${entry.members.length === 0 ? "" : `<p>Also carries ${entry.members.map((name) => `<code>${escape(name)}</code>`).join(", ")}.</p>`}
<details><summary>Who answers with it</summary>${routesOf(entry)}</details>
</section>`

const style = "body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}:target{background:#fff3bf}"

export const errorsPage = (): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Errors of Agon</title>
<style>${style}</style></head><body>
<h1>Errors</h1>
<p>A refusal is a problem of RFC 9457, <code>application/problem+json</code>, with <code>type</code>, <code>title</code>, <code>status</code>,
<code>detail</code> and <code>code</code>. Programs go by <code>code</code>; <code>detail</code> is for people.</p>
${errorCatalogue().map(section).join("\n")}
</body></html>
`
