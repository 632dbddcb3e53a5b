/**
 * A name server on loopback, over UDP: it answers A and AAAA with the addresses that a test gives, and
 * is silent where it gives none.
 */
import { createSocket, type RemoteInfo } from "node:dgram"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

const A = 1
const AAAA = 28
const HEADER_BYTES = 12
const RESPONSE = 0x8180
/** A pointer to the name in the question. */
const SAME_NAME = 0xc00c

export interface NameServer {
  /** `address:port`. */
  readonly address: string
  /** Questions so far, as `A name`. */
  readonly asked: Array<string>
  /** IPv4 addresses of a name; undefined for silence. */
  addressesOf: (name: string) => ReadonlyArray<string> | undefined
}

const questionIn = (packet: Buffer) => {
  const labels: Array<string> = []
  let at = HEADER_BYTES
  for (let length = packet[at]!; length > 0; length = packet[at]!) {
    labels.push(packet.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join("."), type: packet.readUInt16BE(at + 1), question: packet.subarray(HEADER_BYTES, at + 5) }
}

const answerTo = (packet: Buffer, question: Buffer, addresses: ReadonlyArray<string>): Buffer => {
  const header = Buffer.alloc(HEADER_BYTES)
  packet.copy(header, 0, 0, 2)
  header.writeUInt16BE(RESPONSE, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(addresses.length, 6)
  const records = addresses.map((address) => {
    const record = Buffer.alloc(16)
    record.writeUInt16BE(SAME_NAME, 0)
    record.writeUInt16BE(A, 2)
    record.writeUInt16BE(1, 4)
    record.writeUInt16BE(4, 10)
    for (const [i, byte] of address.split(".").entries()) record[12 + i] = Number(byte)
    return record
  })
  return Buffer.concat([header, question, ...records])
}

/** Answers for as long as the scope is open. */
export const nameServer = Effect.acquireRelease(
  Effect.callback<{ readonly server: NameServer; readonly close: () => void }>((resume) => {
    const socket = createSocket("udp4")
    const server = { address: "", asked: [] as Array<string>, addressesOf: (_: string): ReadonlyArray<string> | undefined => undefined }
    socket.on("message", (packet: Buffer, from: RemoteInfo) => {
      const { name, question, type } = questionIn(packet)
      server.asked.push(`${type === A ? "A" : type === AAAA ? "AAAA" : type} ${name}`)
      const addresses = server.addressesOf(name)
      if (addresses !== undefined) socket.send(answerTo(packet, question, type === A ? addresses : []), from.port, from.address)
    })
    socket.bind(0, "127.0.0.1", () => {
      server.address = `127.0.0.1:${(socket.address() as AddressInfo).port}`
      resume(Effect.succeed({ server, close: () => socket.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
).pipe(Effect.map(({ server }): NameServer => server))
