import { MatchDetail, Seat } from "@agon/api/match/Match.ts"
import { assert, it } from "@effect/vitest"
import { MatchRow, SeatRow } from "./queries.ts"
import { detailOf, seatOf } from "./seats.ts"

/** A row that has every column of its statement, and one more. */
const rowOf = <A>({ fields }: { readonly fields: object }): A =>
  Object.fromEntries([...Object.keys(fields), "internal"].map((name) => [name, name === "seats" ? [] : null])) as A

it("of a match and of its seats every public field is shown, and no other column", () => {
  const row = rowOf<typeof MatchRow.Type>(MatchRow)
  const shown = Object.keys(MatchDetail.fields).filter((name) => !["seats", "replay_url", "replay_removed_at"].includes(name))
  assert.sameMembers(Object.keys(detailOf(row)), shown)
  assert.sameMembers(Object.keys(seatOf(row, rowOf<typeof SeatRow.Type>(SeatRow))), Object.keys(Seat.fields))
})
