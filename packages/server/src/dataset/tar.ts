/** Entries of a tar file as POSIX has them (ustar), which every tar reads. */

const BLOCK = 512
const MODE = "0000644"
const NOBODY = "0000000"

const octal = (n: number, digits: number) => n.toString(8).padStart(digits, "0")

/** The header of one file: a name of at most 100 bytes, its size, and when it was made, in seconds since 1970. */
const header = (name: string, bytes: number, made_s: number): Uint8Array => {
  const block = Buffer.alloc(BLOCK)
  const put = (text: string, at: number) => block.write(text, at, "latin1")
  put(name, 0)
  put(MODE, 100)
  put(NOBODY, 108)
  put(NOBODY, 116)
  put(octal(bytes, 11), 124)
  put(octal(Math.max(0, made_s), 11), 136)
  put(" ".repeat(8), 148) // the checksum counts itself as spaces
  put("0", 156)
  put("ustar\0" + "00", 257)
  put(
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      6
    )}\0 `,
    148
  )
  return block
}

/** A file as an entry: header, bytes, and zeros up to the next block. */
export const entry = (name: string, bytes: Uint8Array, made_s: number): Uint8Array =>
  Buffer.concat([header(name, bytes.byteLength, made_s), bytes, Buffer.alloc((BLOCK - (bytes.byteLength % BLOCK)) % BLOCK)])

/** The end of a tar file. */
export const END: Uint8Array = Buffer.alloc(2 * BLOCK)
