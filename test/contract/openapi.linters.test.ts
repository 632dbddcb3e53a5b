/** The OpenAPI document by the recommended rules of Spectral and Redocly; the only exceptions are named here. */

import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Api } from "@agon/api/Api.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { packageOf } from "../support/Generators.ts"

const document = OpenApi.fromApi(Api) as any
/** One path of it, and none of the schemas that the path needs. */
const spoilt = { ...document, paths: { "/v1/me": document.paths["/v1/me"] }, components: {} }

/** Spectral's findings, as `rule: place`. */
const spectral = async (one: object): Promise<ReadonlyArray<string>> => {
  const load = createRequire(resolve(import.meta.dirname, "../generated-client/package.json"))
  const linter = new (load("@stoplight/spectral-core").Spectral)()
  linter.setRuleset({ extends: [[load("@stoplight/spectral-rulesets").oas, "recommended"]] })
  const findings = await linter.run(JSON.stringify(one))
  return findings.map(({ code, path }: any) => `${code}: ${path.join(".")}`)
}

/** Redocly's findings in the same form; its telemetry is off. */
const redocly = (one: object): Promise<ReadonlyArray<string>> =>
  new Promise((done, fail) => {
    const folder = mkdtempSync(join(tmpdir(), "agon-redocly-"))
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(one))
    const command = [
      join(packageOf("@redocly/cli"), "bin/cli.js"),
      "lint",
      "openapi.json",
      "--extends=recommended",
      "--format=json",
      "--max-problems=1000"
    ]
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", CI: "true" }
    execFile(process.execPath, command, { cwd: folder, env, timeout: 200_000, maxBuffer: 2 ** 26 }, (_status, stdout, stderr) => {
      rmSync(folder, { recursive: true })
      if (!stdout.includes("{")) return fail(new Error(`Redocly gives no findings: ${stderr}`))
      const { problems } = JSON.parse(stdout.slice(stdout.indexOf("{")))
      done(problems.map(({ location, ruleId }: any) => `${ruleId}: ${location[0].pointer}`))
    })
  })

describe("the OpenAPI document", () => {
  it.effect("is clean by the rules that Spectral recommends, and a spoilt one is not", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Effect.promise(() => spectral(document)), [])
      const findings = yield* Effect.promise(() => spectral(spoilt))
      assert.isTrue(findings.some((finding) => finding.startsWith("invalid-ref: paths./v1/me.get")))
    })
  )

  it.effect("is clean by the rules that Redocly recommends, and a spoilt one is not", () =>
    Effect.gen(function* () {
      // A sign-in sends the browser on: its success is 302.
      const redirects = ["signIn", "signInCallback"].map((name) => `operation-2xx-response: ${pointerOf(name)}/responses`)
      assert.sameMembers([...(yield* Effect.promise(() => redocly(document)))], redirects)
      const findings = yield* Effect.promise(() => redocly(spoilt))
      assert.isTrue(findings.some((finding) => finding.startsWith("no-unresolved-refs: #/paths/~1v1~1me/get")))
    })
  )
})

const pointerOf = (operation: string): string =>
  Object.entries<any>(document.paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).flatMap(([method, { operationId }]) =>
      operationId === operation ? [`#/paths/${path.replaceAll("/", "~1")}/${method}`] : []
    )
  )[0]!
