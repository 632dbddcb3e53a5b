/** A season's boards as pictures, and the forms that add them. */
import { BoardInvalid, type ImportedBoards } from "@agon/api/board/admin.ts"
import type { BoardRow } from "@agon/api/board/api.ts"
import { sentencesOf } from "@agon/api/fieldErrors.ts"
import { InvalidRequest } from "@agon/api/Problem.ts"
import { engineOf } from "@agon/engine/registry.ts"
import { Effect, Exit, Schema } from "effect"
import { type Html, html, made, said } from "../html/Html.ts"
import { seasonAdminAt } from "../html/links.ts"
import { pager } from "../html/pager.ts"
import { count, counted, time, words } from "../html/words.ts"
import { button, confirmedButton } from "../http/form/buttons.ts"
import type { Tried } from "../http/form/Form.ts"
import { type Choice, inputs } from "../http/form/inputs.ts"
import { pastedBoard } from "../http/form/pasted.ts"
import { boardPicture } from "../picture/boardPicture.ts"
import { copying, otherSeasons } from "./copying.ts"
import { listed, ShownHere, seasonForm } from "./forms.ts"
import { seasonAdminPage } from "./guard.ts"

/** A picture of the largest board has 60 kB. */
const PICTURES = 12

const fileOf = Schema.decodeUnknownExit(Schema.fromJsonString(Schema.Json))

/** With the place, in the words of the engine that reads it. */
const noJson = (text: string): string => {
  try {
    JSON.parse(text)
    return "This is no JSON."
  } catch (error) {
    return `This is no JSON: ${error instanceof Error ? error.message : ""}`
  }
}

const add = seasonForm("boards", {
  name: "add",
  fields: ["file", "do"],
  codes: { board_invalid: "file", board_exists: "file" },
  send: ({ client, of, typed }) => {
    const text = typed.one("file")
    const file = fileOf(text)
    if (Exit.isFailure(file)) {
      const errors = [{ path: "file", message: text.trim() === "" ? "A board file is missing." : noJson(text) }]
      return Effect.fail(new InvalidRequest({ detail: "The board file cannot be read.", errors }))
    }
    if (typed.one("do") !== "preview") return client.boardAdmin.addBoard({ params: of, payload: file.value })
    const checked = engineOf(of.game)?.checkBoard(file.value)
    if (checked?.ok !== false) return Effect.succeed(new ShownHere({ shown: file.value }))
    return Effect.fail(new BoardInvalid({ detail: sentencesOf(checked.errors, "board"), errors: checked.errors }))
  }
})

const turn = seasonForm("boards", {
  name: "switch",
  fields: ["map_id", "enabled"],
  send: ({ client, of, typed }) =>
    client.boardAdmin.switchBoard({ params: { ...of, map_id: typed.one("map_id") }, payload: { enabled: typed.one("enabled") === "yes" } })
})

const copy = seasonForm("boards", {
  name: "import",
  fields: ["from", "maps"],
  codes: { unknown_season: "from" },
  send: ({ client, of, typed }) => {
    const maps = listed(typed.one("maps")).map(pastedBoard)
    const payload = { from: typed.one("from").trim(), ...(maps.length === 0 ? {} : { maps }) }
    return Effect.map(client.boardAdmin.importBoards({ params: of, payload }), (shown) => new ShownHere({ shown }))
  }
})

const card =
  (isClosed: boolean) =>
  ({ added_at, board, cols, enabled, map_id, matches, players, rows }: BoardRow): Html =>
    html`<li>
<h3>${map_id}</h3>
<div class="board">${made(boardPicture(board))}</div>
<p>${counted(players, "seat")}, ${rows} × ${cols}, ${counted(matches, "match", "matches")}. <b>${enabled ? "In play" : "Out of play"}</b>.</p>
<p class="faint">Added ${time(added_at)}</p>
${
  !isClosed &&
  (enabled
    ? confirmedButton(
        turn,
        { map_id, enabled: "no" },
        "Take out of play",
        `the board ${map_id}`,
        "Its queued matches are withdrawn. It can be brought back."
      )
    : button(turn, { map_id, enabled: "yes" }, "Bring into play", `board ${map_id}`))
}</li>
`

const addForm = (tried: Tried | undefined): Html => {
  const { area, whole } = inputs(add, tried)
  const preview = tried?.form === add.name && tried.shown !== undefined
  return whole(
    html`${area("file", "Board file", {
      hint: html`The JSON that <a href="/docs">the API</a> takes for a board of this game. A board is stored out of play.`,
      more: html`required spellcheck="false"`
    })}${preview && html`<div class="board" role="img" aria-label="Preview of the board">${made(boardPicture(tried.shown, { title: "Preview" }))}</div>\n`}<button class="aside" name="do" value="preview" formaction="#${add.name}">Show its picture</button>
<button name="do" value="add">Upload</button>
`,
    undefined,
    "Add a board"
  )
}

const copied = ({ imported, skipped }: ImportedBoards): Html => html`<p role="status">${counted(imported.length, "board")} copied${
  imported.length > 0 && `: ${imported.join(", ")}`
}.</p>
${skipped.length > 0 && html`<ul>${skipped.map(({ map_id, reason }) => html`<li>${said(map_id)}: ${words(reason)}</li>`)}</ul>\n`}`

const copyForm = (seasons: ReadonlyArray<Choice>, tried: Tried | undefined): Html => {
  const fields = inputs(copy, tried)
  const which = fields.area("maps", "Boards", { hint: "One id, or address of its page, in each line; all of them where there is none." })
  return html`${tried?.form === copy.name && tried.shown !== undefined && copied(tried.shown as ImportedBoards)}${copying({ what: "boards", seasons, fields, which })}`
}

export const seasonBoards = seasonAdminPage({
  part: "boards",
  query: ["cursor"],
  forms: [add, copy],
  buttons: [turn],
  render: Effect.fnUntraced(function* ({ client, of, page: { cursor }, season, tried }) {
    const [{ maps }, seasons] = yield* Effect.all(
      [client.board.privateBoards({ params: of, query: { enabled: false, boards: true } }), otherSeasons(client, of)],
      { concurrency: "unbounded" }
    )
    const isClosed = season.state === "closed"
    const shown = maps.slice(cursor, cursor + PICTURES)
    const next = cursor + PICTURES < maps.length ? String(cursor + PICTURES) : null
    return html`<h2>Boards</h2>
<p>${counted(maps.length, "board")}, ${count(maps.filter(({ enabled }) => enabled).length)} of them in play. ${isClosed ? "The season is closed: its boards stay as they are." : "A board that leaves play takes its queued matches with it; a match that is being played is finished, and counts. To replace a board, upload another and take this one out of play."}</p>
${shown.length > 0 && html`<ul class="cards">\n${shown.map(card(isClosed))}</ul>`}
${pager({ path: seasonAdminAt(of.game, of.slug, "boards"), query: {}, offset: cursor, rows: PICTURES, next })}
${!isClosed && html`<h2>Add a board</h2>\n${addForm(tried)}\n<h2>Copy boards of another season</h2>\n${copyForm(seasons, tried)}`}`
  })
})
