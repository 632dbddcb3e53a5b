import { decodeModel } from "@agon/onnx/Model.ts"
import { type MessageWire, modelWire } from "@agon/onnx/wireTypes.ts"
import { assert, describe, it } from "@effect/vitest"
import { emptyMessages, nested, record, varint } from "./testing/hostileFiles.ts"
import { linear } from "./testing/testModels.ts"
import { scanWire, WIRE_LIMITS } from "./wire.ts"

const refusal = (bytes: Uint8Array) => {
  const check = scanWire(bytes)
  assert.isFalse(check.ok)
  return check.ok ? "" : check.message
}

/**
 * A file of one list of zeros at the end of these fields. Its pages are never touched,
 * so a large one costs nothing.
 */
const zeros = (fields: ReadonlyArray<number>, bytes: number): Uint8Array => {
  let head: ReadonlyArray<number> = []
  for (const field of fields.toReversed()) head = [...varint(8 * field + 2), ...varint(head.length + bytes), ...head]
  const file = new Uint8Array(head.length + bytes)
  file.set(head)
  return file
}

/** Every message of the schema, with the numbers of the fields that lead to it. */
const messages = (): ReadonlyArray<readonly [MessageWire, ReadonlyArray<number>]> => {
  const found = new Map<MessageWire, ReadonlyArray<number>>([[modelWire, []]])
  for (const [message, path] of found)
    for (const [number, { message: inner }] of message) if (inner !== undefined && !found.has(inner)) found.set(inner, [...path, number])
  return [...found]
}

/** Of each wire type a value that ends; that of bytes is empty. */
const VALUES = { 0: [1], 1: Array(8).fill(0), 2: [0], 5: Array(4).fill(0) } as const

describe("scanWire", () => {
  it("passes a real model and counts its messages", () => {
    const check = scanWire(linear())
    assert.isTrue(check.ok)
    if (check.ok) assert.isAbove(check.messages, 10)
  })

  it("tells which other file was sent in place of a model, and what to do", () => {
    const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
    for (const [file, said] of [
      ["PK\u0003\u0004\u0000\u0000policy/data.pkl", /zip archive, as torch\.save writes; export/],
      ["version https://git-lfs.github.com/spec/v1\noid sha256:0\n", /git lfs pull/],
      ["\u0089HDF\r\n\u001a\n\u0000\u0000\u0000\u0000", /HDF5/],
      ['\u0040\u0000\u0000\u0000\u0000\u0000\u0000\u0000{"head.weight":{}}', /safetensors/],
      ['{"format":"agon-manifest/1"}', /JSON; name the model first/]
    ] as const)
      assert.match(refusal(bytes(file)), said)
    assert.match(refusal(bytes("\u0003garbage")), /^The weights file is not a readable ONNX model: it has a malformed field tag/)
  })

  it("refuses every truncation of a model that cuts into a record", () => {
    const bytes = linear()
    let passed = 0
    for (let end = 0; end < bytes.length; end++) if (scanWire(bytes.subarray(0, end)).ok) passed++
    // Only cuts between two records of the outermost message leave a readable file; there are two such.
    assert.isAtMost(passed, 2)
  })

  it("passes or refuses a model with any byte flipped, and refuses every broken tag", () => {
    const bytes = linear()
    const whole = scanWire(bytes)
    let refused = 0
    for (let at = 0; at < bytes.length; at++) {
      const flipped = bytes.slice()
      flipped[at] = flipped[at]! ^ 0xff
      const check = scanWire(flipped)
      // Each record takes two bytes at least, so no file can hold more messages than half its bytes.
      if (check.ok) assert.isTrue(check.messages >= 1 && check.messages <= bytes.length / 2, `byte ${at}`)
      else assert.match(check.message, /^The weights file .*\.$/, `byte ${at}`)
      if (!check.ok) refused++
    }
    // The weights' own 192 bytes and the names are stepped over; a tag or a length that is flipped ends the reading.
    assert.isTrue(whole.ok)
    assert.isAbove(refused, 50)
    assert.isBelow(refused, bytes.length - 192)
  })

  it("refuses ten megabytes of empty messages within a second of processor time", () => {
    const bytes = emptyMessages(10_000_000)
    const start = process.threadCpuUsage()
    assert.include(refusal(bytes), `${WIRE_LIMITS.messages} messages`)
    assert.isBelow(process.threadCpuUsage(start).user, 1_000_000)
  })

  it("refuses ten megabytes of empty strings, which are not messages", () => {
    const names = new Uint8Array(10_000_000)
    for (let at = 0; at < names.length; at += 2) names.set([1 * 8 + 2, 0], at)
    assert.include(refusal(record(7, record(1, names))), `${WIRE_LIMITS.records} records`)
  })

  it("refuses long lists of packed integers in all, each byte of which would become a number of 32 bytes", () => {
    const list = new Uint8Array(WIRE_LIMITS.records / 2)
    const many = `${WIRE_LIMITS.records} records`
    const tensor = (field: number, bytes: Uint8Array) => record(7, record(5, Buffer.concat([record(field, bytes), record(field, bytes)])))
    for (const field of [1, 7, 11]) assert.include(refusal(tensor(field, list)), many, `field ${field} of a tensor`)
    const attributes = [1, 2].map(() => record(5, record(8, list)))
    assert.include(refusal(record(7, record(1, Buffer.concat(attributes)))), many)
    const sparse = record(15, Buffer.concat([record(3, list), record(3, list)]))
    assert.include(refusal(record(7, sparse)), many, "dimensions of a sparse tensor")
    // Data as bytes, and floats or int32 in a list, take no more than eight times their length.
    for (const field of [4, 5, 9]) assert.isTrue(scanWire(tensor(field, list)).ok, `field ${field} of a tensor`)
    assert.isTrue(scanWire(tensor(7, list.subarray(100))).ok)
  })

  it("refuses more numbers in lists of floats, doubles and int32 than the decoder has memory for", () => {
    const many = `${WIRE_LIMITS.numbers} numbers`
    for (const [where, bytes] of [
      [[7, 5, 4], 4],
      [[7, 5, 5], 1],
      [[7, 5, 10], 8],
      [[7, 1, 5, 7], 4]
    ] as const) {
      assert.isTrue(scanWire(zeros(where, bytes * WIRE_LIMITS.numbers)).ok, `fields ${where}`)
      assert.include(refusal(zeros(where, bytes * (WIRE_LIMITS.numbers + 1))), many, `fields ${where}`)
    }
    const half = record(5, record(5, new Uint8Array(WIRE_LIMITS.numbers / 2 + 1)))
    assert.include(refusal(record(7, Buffer.concat([half, half]))), many)
    // The same bytes as raw_data are no list.
    assert.isTrue(scanWire(zeros([7, 5, 9], 8 * (WIRE_LIMITS.numbers + 1))).ok)
  })

  it("refuses graphs nested in graphs beyond 32 levels", () => {
    assert.include(refusal(nested(12)), "deeper than 32")
  })

  it("refuses lengths past the end, of 2^32, of 2^63 and negative ones", () => {
    for (const length of [[5], [0xff, 0xff, 0xff, 0xff, 0x0f], [...Array(9).fill(0xff), 0x7f], [...Array(9).fill(0xff), 0x01]])
      assert.include(refusal(Uint8Array.from([7 * 8 + 2, ...length])), "length that runs past")
  })

  it("refuses numbers that do not end, field 0, groups and unknown wire types", () => {
    assert.include(refusal(Uint8Array.from([8, ...Array(11).fill(0xff)])), "ends inside a number")
    for (const tag of [2, 7 * 8 + 3, 7 * 8 + 4, 1 * 8 + 6, 1 * 8 + 7, 1 * 8 + 3]) assert.isFalse(scanWire(Uint8Array.from([tag, 0])).ok)
  })

  it("refuses a second graph, which one reader would merge and another take alone", () => {
    assert.include(refusal(Buffer.concat([record(7, new Uint8Array(0)), record(7, new Uint8Array(0))])), "two values of a single field")
  })

  it("refuses a field in another wire type than its own, which the decoder reads and ONNX Runtime steps over", () => {
    const all = messages()
    assert.isAbove(all.length, 12)
    for (const [message, path] of all)
      for (const [number, { message: inner, packs, wire }] of message)
        for (const type of [0, 1, 2, 5] as const) {
          const field = Uint8Array.from([...varint(8 * number + type), ...VALUES[type]])
          const file = path.toReversed().reduce<Uint8Array>((inner, number) => record(number, inner), field)
          const what = `field ${[...path, number]} in wire type ${type}`
          if (type === wire || (packs && type === 2))
            assert.deepStrictEqual(scanWire(file), { ok: true, messages: path.length + (inner === undefined ? 1 : 2) }, what)
          else assert.include(refusal(file), `has field ${number} of the wrong wire type`, what)
        }
  })

  it("refuses a name that hides an operator from the decoder: a number to ONNX Runtime, and the next bytes a text", () => {
    const [name, operator, identity, loop] = [3, 4, Buffer.from("Identity"), Buffer.from("Loop")]
    const hidden = record(operator, loop)
    const node = Buffer.concat([record(operator, identity), Uint8Array.from([8 * name, hidden.length]), hidden])
    const file = record(7, record(1, node))
    assert.strictEqual(decodeModel(file).graph?.node[0]?.opType, "Identity", "the decoder alone does not see it")
    assert.include(refusal(file), "has field 3 of the wrong wire type")
  })

  it("refuses a value that an enum does not have, which ONNX Runtime passes over and the decoder takes", () => {
    const [type, float, unknown] = [20, 1, 99]
    const attribute = (...values: ReadonlyArray<number>) =>
      record(7, record(1, record(5, Buffer.concat(values.map((value) => Buffer.concat([varint(8 * type), varint(value)]))))))
    assert.isTrue(scanWire(attribute(float)).ok)
    assert.include(refusal(attribute(float, unknown)), "a value that field 20 does not take")
  })
})
