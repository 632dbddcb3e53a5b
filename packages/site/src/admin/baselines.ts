/** Models that administrators have brought into a season. */
import type { Season } from "@agon/api/season/Season.ts"
import { type Baseline, type ImportedBaselines, RecordBaseline, type RecordedBaseline } from "@agon/api/submission/baselines.ts"
import { rejectMeanings } from "@agon/api/version/rejectMeanings.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { type Places, placesFor } from "../html/links.ts"
import { table } from "../html/table.ts"
import { counted, time, words } from "../html/words.ts"
import { button, confirmedButton } from "../http/form/buttons.ts"
import { constraintsOf } from "../http/form/constraints.ts"
import type { Tried } from "../http/form/Form.ts"
import { type Choice, inputs } from "../http/form/inputs.ts"
import { takesNoMore } from "../season/taking.ts"
import { copying, otherSeasons } from "./copying.ts"
import { listed, ShownHere, seasonForm } from "./forms.ts"
import { seasonAdminPage } from "./guard.ts"

const record = seasonForm("baselines", {
  name: "record",
  fields: ["name", "weights_hash", "manifest_hash"],
  codes: { baseline_exists: "name" },
  send: ({ client, of, typed }) => {
    const payload = { name: typed.one("name"), weights_hash: typed.one("weights_hash"), manifest_hash: typed.one("manifest_hash") }
    return Effect.map(client.baseline.recordBaseline({ params: of, payload }), (shown) => new ShownHere({ shown }))
  }
})

const copy = seasonForm("baselines", {
  name: "import",
  fields: ["from", "baselines"],
  codes: { unknown_season: "from" },
  send: ({ client, of, typed }) => {
    const baselines = listed(typed.one("baselines"))
    const payload = { from: typed.one("from").trim(), ...(baselines.length === 0 ? {} : { baselines }) }
    return Effect.map(client.baseline.importBaselines({ params: of, payload }), (shown) => new ShownHere({ shown }))
  }
})

const turn = seasonForm("baselines", {
  name: "switch",
  fields: ["baseline", "enabled"],
  send: ({ client, of, typed }) =>
    client.baseline.switchBaseline({
      params: { ...of, baseline: typed.one("baseline") },
      payload: { enabled: typed.one("enabled") === "yes" }
    })
})

/** The changes that a season's baselines may still see: in its finals, and while it closes, they leave and none joins. */
type Field = "open" | "settled" | "closed"

const fieldOf = (season: Season): Field => {
  if (season.state === "closed") return "closed"
  return takesNoMore(season) ? "settled" : "open"
}

const FIELDS: Readonly<Record<Field, string>> = {
  open: "They give competitors somebody to beat, and candidates somebody to be tried against. A runner examines each before it can be brought into play.",
  settled:
    "The season plays its finals, or is closing: a baseline may still be taken out of play, for good, and none is recorded, copied or brought into play any more.",
  closed: "The season is closed: its baselines stay as they are."
}

const OUT: Readonly<Record<Field, string>> = {
  open: "It is paired no more until it is brought back.",
  settled: "It is paired no more, and cannot be brought back.",
  closed: ""
}

const turned = (field: Field, enabled: boolean, status: Baseline["status"], name: string): Html | false =>
  enabled
    ? confirmedButton(turn, { baseline: name, enabled: "no" }, "Take out of play", `the baseline ${name}`, OUT[field])
    : field === "open" &&
      (status === "disabled" || status === "entered") &&
      button(turn, { baseline: name, enabled: "yes" }, "Bring into play", `baseline ${name}`)

/** Its page is there once it was admitted. */
const nameOf = (at: Places, { name, status, version_id }: Baseline): Html | string =>
  status === "testing" || status === "rejected" ? name : html`<a href="${at.version(version_id)}">${name}</a>`

const row =
  (at: Places, field: Field) =>
  (baseline: Baseline): Html => {
    const { class: weight, enabled, name, reject_reason, status } = baseline
    return html`<tr>
<th scope="row">${nameOf(at, baseline)}</th>
<td>${status === "testing" ? "being examined" : words(status)}${reject_reason !== null && html`<span class="bad">: ${rejectMeanings[reject_reason]}</span>`}</td>
<td>${weight}</td>
${field !== "closed" && html`<td>${turned(field, enabled, status, name)}</td>\n`}</tr>
`
  }

type Uploads = (typeof RecordedBaseline.Type)["upload"]

const command = (upload: Uploads["weights"], file: string) =>
  `curl -fsS ${Object.entries(upload.headers)
    .map(([name, value]) => `-H '${name}: ${value}' `)
    .join("")}-T ${file} '${upload.url}'`

const recorded = ({ name, upload }: typeof RecordedBaseline.Type): Html => html`<div role="status">
<p>${name} is recorded. Send its two files until ${time(upload.expires_at)}:</p>
<pre tabindex="0">${command(upload.weights, `${name}.onnx`)}
${command(upload.manifest, `${name}.json`)}</pre>
</div>
`

const limits = constraintsOf(RecordBaseline)

const recordForm = (tried: Tried | undefined): Html => {
  const { text, whole } = inputs(record, tried)
  const hash = (name: "weights_hash" | "manifest_hash", label: string) =>
    text(name, label, { hint: "sha256: and 64 hexadecimal digits.", more: html`${limits(name)} spellcheck="false" autocomplete="off"` })
  return html`${tried?.form === record.name && tried.shown !== undefined && recorded(tried.shown as typeof RecordedBaseline.Type)}${whole(
    html`${text("name", "Name", { hint: "Small letters, digits and dashes.", more: html`${limits("name")} autocomplete="off"` })}${hash("weights_hash", "Hash of the weights")}${hash("manifest_hash", "Hash of the manifest")}`,
    "Record",
    "Record a baseline"
  )}`
}

const copied = ({ imported, skipped }: ImportedBaselines): Html => html`<p role="status">${counted(imported.length, "baseline")} copied${
  imported.length > 0 && `: ${imported.join(", ")}`
}.</p>
${skipped.length > 0 && html`<ul>${skipped.map(({ name, reason }) => html`<li>${said(name)}: ${words(reason)}</li>`)}</ul>\n`}`

const copyForm = (seasons: ReadonlyArray<Choice>, tried: Tried | undefined): Html => {
  const fields = inputs(copy, tried)
  const which = fields.area("baselines", "Baselines", { hint: "One name in each line; all of them where there is none." })
  return html`${tried?.form === copy.name && tried.shown !== undefined && copied(tried.shown as ImportedBaselines)}${copying({ what: "baselines", seasons, fields, which })}`
}

export const seasonBaselines = seasonAdminPage({
  part: "baselines",
  query: ["cursor"],
  forms: [record, copy],
  buttons: [turn],
  render: Effect.fnUntraced(function* ({ client, links, of, page, season, tried }) {
    const [{ baselines, next_cursor }, seasons] = yield* Effect.all(
      [client.baseline.baselines({ params: of, query: page }), otherSeasons(client, of)],
      { concurrency: "unbounded" }
    )
    const field = fieldOf(season)
    const headings = ["Baseline", "State", "Class", ...(field === "closed" ? [] : ["In play"])]
    return html`<h2>Baselines</h2>
<p>${FIELDS[field]}</p>
${table("Baselines", headings, baselines.map(row(placesFor(season), field)), field === "open" ? "There is none yet." : "There is none.")}
${links(next_cursor)}
${field === "open" && html`<h2>Record a baseline</h2>\n${recordForm(tried)}\n<h2>Copy baselines of another season</h2>\n${copyForm(seasons, tried)}`}`
  })
})
