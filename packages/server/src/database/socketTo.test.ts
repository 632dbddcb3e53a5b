import { assert, it } from "vitest"
import { addressOf } from "./socketTo.ts"

it("a socket leads to where the driver reads that the URL leads", () => {
  const at = (url: string) => addressOf(`postgres://${url}`)
  assert.deepStrictEqual(at("agon:secret@db.example/agon"), { host: "db.example", port: 5432 })
  assert.deepStrictEqual(at("agon@db.example:6432/agon?sslmode=require"), { host: "db.example", port: 6432 })
  assert.deepStrictEqual(at("agon@[2001:db8::1]:6432/agon"), { host: "2001:db8::1", port: 6432 })
  assert.deepStrictEqual(at("/agon"), { host: "localhost", port: 5432 })
  assert.deepStrictEqual(at("agon@db.example:1/agon?host=other.example&port=2"), { host: "other.example", port: 2 })
  assert.deepStrictEqual(at("agon@localhost/agon?host=%2Ftmp%2Fsocket"), { path: "/tmp/socket/.s.PGSQL.5432" })
  assert.deepStrictEqual(at("agon@%2Ftmp%2Fsocket:6/agon"), { path: "/tmp/socket/.s.PGSQL.6" })
})
