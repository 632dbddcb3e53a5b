/** Runner keys and the runners that use them, of a season and of the platform. */
import { type Key, KeyBody, type NewKey, type Runner } from "@agon/api/runner/api.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { profileAt } from "../html/links.ts"
import { table } from "../html/table.ts"
import { count, counted, time } from "../html/words.ts"
import { confirmedButton } from "../http/form/buttons.ts"
import { constraintsOf } from "../http/form/constraints.ts"
import type { Form, Tried } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import { platformForm, ShownHere, seasonForm } from "./forms.ts"
import { platformAdminPage, seasonAdminPage } from "./guard.ts"

const STATES: Readonly<Record<Runner["state"], string>> = {
  active: "active",
  draining: "finishes its matches and gets no more",
  gone: "gone"
}

const shown = (key: NewKey) => new ShownHere({ shown: key })

/** The forms of a page of keys, which are those of a season or of the platform. */
interface Forms {
  readonly create: Form<"name">
  readonly revoke: Form<"key">
  readonly stop: Form<"runner">
}

const ofSeason: Forms = {
  create: seasonForm("runners", {
    name: "create",
    fields: ["name"],
    send: ({ client, of, typed }) =>
      Effect.map(client.seasonFleet.createSeasonKey({ params: of, payload: { name: typed.one("name") } }), shown)
  }),
  revoke: seasonForm("runners", {
    name: "revoke",
    fields: ["key"],
    send: ({ client, of, typed }) => client.seasonFleet.revokeSeasonKey({ params: { ...of, key: typed.one("key") } })
  }),
  stop: seasonForm("runners", {
    name: "stop",
    fields: ["runner"],
    send: ({ client, of, typed }) => client.seasonFleet.stopSeasonRunner({ params: { ...of, runner: typed.one("runner") } })
  })
}

const ofPlatform: Forms = {
  create: platformForm("runners", {
    name: "create",
    fields: ["name"],
    send: ({ client, typed }) => Effect.map(client.fleet.createKey({ payload: { name: typed.one("name") } }), shown)
  }),
  revoke: platformForm("runners", {
    name: "revoke",
    fields: ["key"],
    send: ({ client, typed }) => client.fleet.revokeKey({ params: { key: typed.one("key") } })
  }),
  stop: platformForm("runners", {
    name: "stop",
    fields: ["runner"],
    send: ({ client, typed }) => client.fleet.stopRunner({ params: { runner: typed.one("runner") } })
  })
}

const runnerRow =
  ({ stop }: Forms) =>
  ({ accepts, id, last_seen_at, leases, name, runtime_known, runtime_version, slots, state }: Runner): Html =>
    html`<tr>
<th scope="row">${said(name)}</th>
<td>${STATES[state]}</td>
<td><span class="unit">holds </span>${leases === 0 ? "nothing" : counted(leases, "lease")} of ${count(slots)}</td>
<td><span class="unit">takes </span>${accepts.join(", ")}</td>
<td><span class="unit">runtime </span>${said(runtime_version)}${!runtime_known && html` <span class="bad">unknown: it is given no work</span>`}</td>
<td><span class="unit">last seen </span>${time(last_seen_at)}</td>
<td>${state === "active" && confirmedButton(stop, { runner: id }, "Stop", `the runner ${name}`, "It finishes its matches and gets no more.")}</td>
</tr>
`

/** Runners that are gone are not in the list of their key. */
const runnerTable = (forms: Forms, { prefix, revoked_at, runners }: Key): Html =>
  table(
    `Runners with the key ${prefix}`,
    ["Runner", "State", "Holds now", "Takes", "Runtime", "Last seen", "Change"],
    runners.map(runnerRow(forms)),
    revoked_at === null ? "No runner with it is connected: none was heard of within 90 seconds." : "No runner may use it any more."
  )

const REVOKED = "Its runners lose what they are playing now, and get no more work with this key. This cannot be undone: make another key."

/** The name that stands for the service where it made the key of its own runner; it is nobody's account. */
const SERVICE = "service"

const makerOf = ({ created_by }: Key): Html =>
  created_by === SERVICE ? html`<i>the service</i>` : html`<a href="${profileAt(created_by)}">${created_by}</a>`

const keyItem =
  (forms: Forms) =>
  (key: Key): Html =>
    html`<section aria-labelledby="key-${key.id}">
<h3 id="key-${key.id}">${said(key.name)}</h3>
<p><code>${key.prefix}…</code>, made ${time(key.created_at)} by ${makerOf(key)}${!key.permitted && html`, <span class="bad">who is not in office any more: it is out of force</span>`}${key.revoked_at !== null && html`, <span class="bad">revoked ${time(key.revoked_at)}</span>`}.</p>
${key.revoked_at === null && html`${confirmedButton(forms.revoke, { key: key.id }, "Revoke", `the key ${key.name}`, REVOKED)}\n`}${runnerTable(forms, key)}
</section>
`

const keyList = (forms: Forms, keys: ReadonlyArray<Key>): Html | ReadonlyArray<Html> =>
  keys.length === 0 ? html`<p class="faint">There is no key yet.</p>` : keys.map(keyItem(forms))

const limits = constraintsOf(KeyBody)

const secret = ({ key, name }: NewKey): Html => html`<div role="status">
<p>The secret of ${said(name)}. It is shown here and nowhere again:</p>
<pre tabindex="0">${key}</pre>
<p>On the machine that is to play: <code>AGON_URL=… AGON_RUNNER_KEY=… scripts/runner</code>, with the address of this site and the secret. Load this page again then: the runner is in the list as soon as it has connected.</p>
</div>
`

const createForm = ({ create }: Forms, tried: Tried | undefined): Html => {
  const made = tried?.form === create.name ? (tried.shown as NewKey | undefined) : undefined
  const { text, whole } = inputs(create, made === undefined ? tried : undefined)
  return html`<h2>Make a key</h2>
${made !== undefined && secret(made)}${whole(text("name", "Name", { hint: "Which machine it is for.", more: html`${limits("name")} autocomplete="off"` }), "Make a key", "Make a key")}`
}

export const seasonRunners = seasonAdminPage({
  part: "runners",
  query: ["cursor"],
  forms: [ofSeason.create],
  buttons: [ofSeason.revoke, ofSeason.stop],
  render: Effect.fnUntraced(function* ({ client, links, of, page, tried }) {
    const { admissions, keys, next_cursor } = yield* client.seasonFleet.seasonKeys({ params: of, query: page })
    return html`<h2>Runner keys</h2>
<p>A key of the season works for this season alone. ${counted(admissions.queued, "candidate waits", "candidates wait")} for a runner, and ${counted(admissions.admitters, "runner")} could take one now.</p>
<p>A key works while whoever made it administers the season or the platform. A revoked key gives its work back to the queue at once. A stopped runner finishes its matches.</p>
${keyList(ofSeason, keys)}
${links(next_cursor)}
${createForm(ofSeason, tried)}`
  })
})

export const platformRunners = platformAdminPage({
  part: "runners",
  query: ["cursor"],
  forms: [ofPlatform.create],
  buttons: [ofPlatform.revoke, ofPlatform.stop],
  render: Effect.fnUntraced(function* ({ client, links, page, tried }) {
    const [{ keys, next_cursor }, status] = yield* Effect.all([client.fleet.keys({ query: page }), client.admin.status()], {
      concurrency: "unbounded"
    })
    return html`<h2>Runner keys</h2>
<p>${counted(status.runners, "runner")}, ${count(status.admitters)} of which could examine a candidate now; ${counted(status.queued, "lease waits", "leases wait")}, ${count(status.playing)} being played. A key works while whoever made it administers the platform.</p>
${keyList(ofPlatform, keys)}
${links(next_cursor)}
${createForm(ofPlatform, tried)}`
  })
})
