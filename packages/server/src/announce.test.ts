import * as LogLines from "@agon/api/program/LogLines.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { announce } from "./announce.ts"
import { Settings, type SettingsShape } from "./config/Settings.ts"

const origin = "http://localhost:8080"
const settings = {
  ...{ public_origin: origin, directory: "/data", site: "own", runner_slots: 1, development_sign_in: true },
  ...{ admin: { provider: "dev", login: "admin" }, database_url: undefined, s3: undefined }
} as Partial<SettingsShape> as SettingsShape

/** The lines written and the lines logged. */
const said = (isTTY: boolean) => {
  const written: Array<string> = []
  const logged: Array<any> = []
  const hears = Logger.layer([Logger.map(LogLines.json, (line) => void logged.push(JSON.parse(line)))])
  const told = announce({ isTTY, write: (text) => written.push(text) }).pipe(Effect.provideService(Settings, settings))
  return Effect.as(Effect.provide(told, hears), { written, logged })
}

describe("a service that has started", () => {
  it.effect("tells people on a terminal where to look and how to sign in", () =>
    Effect.map(said(true), ({ logged, written }) => {
      assert.deepStrictEqual(logged, [])
      assert.include(written.join(""), `\nLook at it in a browser: ${origin}/\n`)
      assert.include(written.join(""), `Sign in at ${origin}/v1/auth/dev with any name`)
    })
  )

  it.effect("logs one line elsewhere", () =>
    Effect.map(said(false), ({ logged, written }) => {
      assert.deepStrictEqual(written, [])
      const [{ time: _, ...line }, ...more] = logged
      assert.deepStrictEqual(more, [])
      assert.deepStrictEqual(line, {
        ...{ level: "info", message: "the service answers", at: origin, pages: `${origin}/`, directory: "/data" },
        ...{ embedded_database: true, development_sign_in: true, runner_slots: 1 }
      })
    })
  )
})
