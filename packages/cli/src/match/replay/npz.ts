/**
 * Writes arrays as an .npz file for numpy.load: a zip archive of .npy files (numpy's format 1.0), stored
 * without compression. Both are a few fixed fields around the bytes, so a library would be larger than this
 * file; the test reads it with numpy itself.
 */
import { crc32 } from "node:zlib"

export interface Named {
  readonly name: string
  /** Lengths of the axes, row-major; empty for a single number. */
  readonly shape: ReadonlyArray<number>
  readonly values: Float32Array | Int32Array | Uint8Array
}

/** Headers of .npy files end at a multiple of this many bytes. */
const ALIGNMENT = 64
const PREFIX_BYTES = 10
const LOCAL_BYTES = 30
const ENTRY_BYTES = 46
const END_BYTES = 22
/** The version of the format that stored entries need. */
const VERSION = 20
/** 1 January 1980, the first day of the format, so that equal arrays make equal files. */
const DATE = 0x21

const typeOf = (values: Named["values"]): string => (values instanceof Float32Array ? "<f4" : values instanceof Int32Array ? "<i4" : "|u1")

/** The processor's order of bytes must be little-endian, as it is wherever Node runs models. */
const npyOf = ({ shape, values }: Named): Buffer => {
  const axes = shape.length === 1 ? `${shape[0]},` : shape.join(", ")
  const text = `{'descr': '${typeOf(values)}', 'fortran_order': False, 'shape': (${axes}), }`
  const length = Math.ceil((PREFIX_BYTES + text.length + 1) / ALIGNMENT) * ALIGNMENT - PREFIX_BYTES
  const prefix = Buffer.from([0x93, ...Buffer.from("NUMPY"), 1, 0, length & 0xff, length >> 8])
  return Buffer.concat([
    prefix,
    Buffer.from(`${text.padEnd(length - 1)}\n`),
    new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
  ])
}

/** The fields that an entry's two headers share, from `version needed` to the length of the extra field. */
const writeShared = (header: Buffer, at: number, name: Buffer, bytes: Buffer): void => {
  header.writeUInt16LE(VERSION, at)
  header.writeUInt16LE(DATE, at + 8)
  header.writeUInt32LE(crc32(bytes), at + 10)
  header.writeUInt32LE(bytes.length, at + 14)
  header.writeUInt32LE(bytes.length, at + 18)
  header.writeUInt16LE(name.length, at + 22)
}

export const npzOf = (arrays: ReadonlyArray<Named>): Buffer => {
  const parts: Array<Buffer> = []
  const entries: Array<Buffer> = []
  let offset = 0
  for (const array of arrays) {
    const [name, bytes] = [Buffer.from(`${array.name}.npy`), npyOf(array)]
    const local = Buffer.alloc(LOCAL_BYTES)
    local.writeUInt32LE(0x04034b50, 0)
    writeShared(local, 4, name, bytes)
    const entry = Buffer.alloc(ENTRY_BYTES)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(VERSION, 4)
    writeShared(entry, 6, name, bytes)
    entry.writeUInt32LE(offset, 42)
    parts.push(local, name, bytes)
    entries.push(entry, name)
    offset += local.length + name.length + bytes.length
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(END_BYTES)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(arrays.length, 8)
  end.writeUInt16LE(arrays.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, directory, end])
}
