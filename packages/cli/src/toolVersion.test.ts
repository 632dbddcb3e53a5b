import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { VERSION } from "./toolVersion.ts"

it("the tool tells the version of its package", () => {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { readonly version: string }
  assert.strictEqual(VERSION, version)
})
