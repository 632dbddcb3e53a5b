/** The types of python/agon_client: those of the API, field by field, and sound where a type checker is installed. */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { Api } from "@agon/api/Api.ts"
import { refusals, StorageFull } from "@agon/api/submission/api.ts"
import { OpenApi } from "effect/http-api"
import { assert, describe, it } from "vitest"
import { PYTHON, python } from "../support/python.ts"

const missing = existsSync(PYTHON) ? undefined : `no ${PYTHON}`
const MYPY = "/usr/bin/mypy"
const hasTypeChecker = existsSync(MYPY)

/** The API's schemas by the names that the client has for them. */
const SHARED = ["Account", "LeaderboardEntry", "MatchCard", "Model", "OwnVersion", "Preflight", "Submitted", "Uploads", "Version"]

const ID = "01a20532-0000-7000-8000-000000000000"

const tell = `
import json
from agon_client import submission, wire
fields = {name: sorted(kind.__annotations__) for name, kind in vars(wire).items() if hasattr(kind, "__total__")}
print(json.dumps({"fields": fields, "refusals": submission.REFUSALS}))`

describe.skipIf(missing !== undefined)(`the types of the client for Python${missing === undefined ? "" : ` (${missing})`}`, () => {
  it("have the fields of the API's schemas, and the client knows every refusal of a submission", async () => {
    const { output, status } = await python(["-c", tell], { folder: "python" })
    assert.strictEqual(status, 0, output)
    const told = JSON.parse(output)
    const schemas = OpenApi.fromApi(Api).components.schemas as Record<string, { readonly properties: object }>
    for (const name of SHARED) assert.deepStrictEqual(told.fields[name], Object.keys(schemas[name]!.properties).sort(), name)
    assert.deepStrictEqual(
      told.refusals,
      [...refusals, StorageFull].map(
        (refusal) => new refusal({ detail: "", retry_at: "2026-11-01T00:00:00Z", version_id: ID } as never).code
      )
    )
  })

  it.skipIf(!hasTypeChecker)("are sound for Python 3.9, strictly", async () => {
    const checked = spawnSync(MYPY, ["--strict", "--python-version", "3.9", "--cache-dir", "/dev/null", "agon_client"], {
      cwd: new URL("../../python", import.meta.url),
      encoding: "utf8"
    })
    assert.strictEqual(checked.status, 0, checked.stdout + checked.stderr)
  })
})
