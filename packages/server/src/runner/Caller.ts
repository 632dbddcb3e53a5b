import type { KeyOfRunner } from "@agon/api/Authorization.ts"
import type { OpenRunner } from "./queries.ts"

/** Who calls the runner protocol: a runner, and the key that its session was opened under. */
export interface Caller {
  readonly key: KeyOfRunner
  readonly runner: OpenRunner
}

/** A result names no runner; its key is enough. */
export const callerOfKey = (key: KeyOfRunner): Caller => ({
  key,
  runner: { id: "", key_id: key.id, slots: 0, state: "draining", accepts: [], engines: [], runtime_version: "" }
})
