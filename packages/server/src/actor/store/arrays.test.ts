import { array, decode, encode, encodeParameter, makeRegistry, OID, type Parameter } from "@effect/sql-pg/PgTypes"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { type Element, packed } from "./arrays.ts"

const DRIVER = makeRegistry()
const bytesOf = (parameter: Parameter, registry?: typeof DRIVER) => Buffer.from(Result.getOrThrow(encodeParameter(parameter, registry))!)
const itself = (value: unknown) => value
const ID = "01900000-0000-7000-8000-00000000000a"
const OTHER = "FFFFFFFF-abcd-4321-9876-0123456789ab"

const columns: ReadonlyArray<readonly [type: Element, values: ReadonlyArray<unknown>]> = [
  ["int4", []],
  ["int4", [0, -1, 2_147_483_647, -2_147_483_648, null, null, 7, 7]],
  ["float8", [0, -0, 0.1, null, Number.NaN, -Infinity, 2 ** 53, 0.1]],
  ["bool", [true, true, false, null, false]],
  ["uuid", [ID, ID, null, OTHER, ID, OTHER]],
  ["text", ["", "", "nano", "nano", null, "nano", "Zürich \u{1f40d}", "x".repeat(5_000), "x".repeat(5_000)]],
  ["bytea", [new Uint8Array([1, 2, 255]), null, new Uint8Array(0)]],
  ["text", Array.from({ length: 20_000 }, (_, n) => (n % 3 === 0 ? `word ${n}` : "the same word"))],
  ["float8", Array.from({ length: 50_000 }, (_, n) => (n % 5 === 0 ? null : n / 7))]
]

describe("an encoded array", () => {
  it.each(columns)("of %s has the values, and the bytes of the driver but for its note of nulls", (type, values) => {
    for (let n = 0; n < 5; n++) {
      const parameter = packed(type, values, itself)
      const own = bytesOf(parameter)
      const driver = bytesOf(Result.getOrThrow(array([...values], OID[type])), DRIVER)
      own.writeInt32BE(0, 4)
      driver.writeInt32BE(0, 4)
      assert.isTrue(own.equals(driver))
      assert.strictEqual(parameter.oid, OID[`${type}Array`])
    }
  })

  it("keeps its bytes while others are made", () => {
    const first = packed("text", ["first", "first"], itself)
    const before = bytesOf(first).toString("hex")
    for (let n = 0; n < 100; n++) packed("text", ["x".repeat(10_000), null, `${n}`], itself)
    assert.strictEqual(bytesOf(first).toString("hex"), before)
  })

  const wrong: ReadonlyArray<readonly [type: Element, value: unknown]> = [
    ["int4", 2_147_483_648],
    ["int4", 0.5],
    ["int4", undefined],
    ["float8", undefined],
    ["float8", "1"],
    ["bool", undefined],
    ["bool", 1],
    ["uuid", undefined],
    ["uuid", ""],
    ["uuid", ID.slice(1)],
    ["uuid", ID.replace("a", "g")],
    ["uuid", ID.replaceAll("-", "")],
    ["uuid", ID.replace("-", "0")],
    ["uuid", ID.replace("a", "\u0161")],
    ["text", undefined],
    ["text", 7]
  ]
  it.each(wrong)("of %s is refused with %s", (type, value) => {
    assert.throws(() => packed(type, [null, value], itself))
    assert.isTrue(Result.isSuccess(encodeParameter(packed(type, [null], itself))))
  })

  it("leaves arrays of the driver as they are", () => {
    for (const [type, values] of columns) {
      const oid = OID[`${type}Array`]
      const bytes = Result.getOrThrow(encode([...values], oid))
      assert.deepStrictEqual(Buffer.from(bytes), Buffer.from(Result.getOrThrow(encode([...values], oid, DRIVER))))
      assert.deepStrictEqual(Result.getOrThrow(decode(bytes, oid, 1)), Result.getOrThrow(decode(bytes, oid, 1, DRIVER)))
    }
  })
})
