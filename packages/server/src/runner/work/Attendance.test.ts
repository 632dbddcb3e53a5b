import { assert, it } from "@effect/vitest"
import { Attendance } from "./Attendance.ts"

/** The answers of looks that end well, each a ms long. */
const looks = (attendance: Attendance, ...at: ReadonlyArray<number>) =>
  at.map((now) => {
    const lasted = attendance.begun(now)
    attendance.ended(now + 1)
    return lasted
  })

it("a node has been there since its first look, as long as one follows the other", () => {
  assert.deepStrictEqual(looks(new Attendance(), 1_000, 3_000, 60_000, 120_001), [0, 2_000, 59_000, 119_001])
})

it("it begins anew after looks that failed for longer than a minute, or that nobody made", () => {
  const attendance = new Attendance()
  looks(attendance, 0, 2_000)
  assert.strictEqual(attendance.begun(30_000), 30_000) // and fails
  assert.strictEqual(attendance.begun(62_002), 0)
  assert.strictEqual(attendance.begun(64_000), 0) // fails still
  assert.deepStrictEqual(looks(attendance, 66_000, 68_000), [0, 2_000])
})

it("a look that takes long is no pause, and a clock that was set back is one", () => {
  const attendance = new Attendance()
  attendance.begun(0)
  attendance.ended(300_000)
  assert.strictEqual(attendance.begun(302_000), 302_000)
  attendance.ended(302_001)
  assert.strictEqual(attendance.begun(10_000), 0)
})
