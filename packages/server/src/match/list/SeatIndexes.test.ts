/** The next step with the indexes of seats, from every state that a node may leave them in. */
import { assert, describe, it } from "@effect/vitest"
import { nextStep } from "./SeatIndexes.ts"
import { dropped, made, renamed } from "./seatIndexSteps.ts"

const narrow = { name: "seat_version", valid: true, covers: false }
const wide = { ...narrow, covers: true }
const next = { name: "seat_version_next", valid: true, covers: true }
const unfinished = { ...next, valid: false }
/** Its drop was interrupted. */
const leaving = { ...narrow, valid: false }
const trials = { name: "seat_trial", valid: true, covers: true }

describe("an index of seats", () => {
  it.each([
    ["is made where there is only the old one", [narrow], made("seat_version")],
    ["is made where there is none", [], made("seat_version")],
    ["that was not finished is dropped", [narrow, unfinished], dropped(next.name)],
    ["that was not finished is dropped, also where there is no other", [unfinished], dropped(next.name)],
    ["that is finished replaces the old one", [narrow, next], dropped(narrow.name)],
    ["that is finished replaces one whose drop has begun", [leaving, next], dropped(narrow.name)],
    ["takes the old one's name once that is gone", [next], renamed("seat_version")],
    ["is left alone once it is there", [wide], undefined],
    ["is left alone, and what is too much is dropped", [wide, next], dropped(next.name)]
  ] as const)("%s", (_, indexes, step) => {
    assert.strictEqual(nextStep([trials, ...indexes]), step)
  })

  it("is that of trials first: while they are found by the other one, that has to be the old one", () => {
    assert.strictEqual(nextStep([narrow, { ...trials, covers: false }]), made("seat_trial"))
  })
})
