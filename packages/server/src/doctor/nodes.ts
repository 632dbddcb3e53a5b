/** The nodes that run on the same database: whether this one knows that there are others, and they would know it as one of theirs. */

import { Effect } from "effect"
import { loadNodeTls } from "../config/nodeTls.ts"
import { secretIn } from "../config/Secrets.ts"
import type { SettingsShape } from "../config/Settings.ts"
import { runningBeside } from "../node/Lookout.ts"
import { strangerTo } from "../node/stranger.ts"
import { about, type Finding } from "./Finding.ts"

const nodes = about("nodes")

const alone = Effect.map(runningBeside(""), (others) =>
  others.length === 0
    ? undefined
    : `AGON_NODE: not set, and nodes run on this database (${others.join(", ")}); give this one its own host:port`
)

export const checkNodes = ({ directory, node, node_tls }: SettingsShape) =>
  Effect.gen(function* () {
    if (node === undefined) return yield* alone
    const tls = node_tls === undefined ? undefined : yield* loadNodeTls(node_tls)
    return yield* strangerTo({ node, secret: secretIn(directory, "nodes"), tls })
  }).pipe(
    Effect.map((reason): ReadonlyArray<Finding> => (reason === undefined ? [] : [nodes.broken(reason)])),
    Effect.orElseSucceed((): ReadonlyArray<Finding> => []) // before the first node has started there is no table of nodes
  )
