/** Values that are taken and that nobody means: the service starts with them, and does not do what was wanted. */
import { Redacted } from "effect"
import { unreadParameters } from "./databaseAddress.ts"
import type { SettingsShape } from "./Settings.ts"

/** As runners of this project name theirs (sandbox/runtimeVersion.ts), of any release. */
const OF_OURS = /^onnxruntime-web \S+ [0-9a-f]{64} node \d+$/

/** A sentence for each. */
export const doubtful = ({ database_url, runtimes }: Pick<SettingsShape, "database_url" | "runtimes">): ReadonlyArray<string> => [
  ...(database_url === undefined ? [] : unreadParameters(Redacted.value(database_url))),
  ...runtimes
    .filter((runtime) => !OF_OURS.test(runtime))
    .map(
      (runtime) =>
        `AGON_RUNTIMES: no runner of this project says ${JSON.stringify(runtime)}; it takes a runtime_version of GET /v1/runners, ` +
        `whole, as "onnxruntime-web 1.2.3 <64 hexadecimal digits> node 24"`
    )
]
