/** The options of the bench. */
import { parseArgs } from "node:util"

const FAULTS = ["node", "redis", "postgres"] as const
export type Fault = (typeof FAULTS)[number]

const said = parseArgs({
  options: {
    nodes: { type: "string", default: "3" },
    from: { type: "string", default: "205" },
    runners: { type: "string", default: "2000" },
    ramp: { type: "string", default: "30" },
    seconds: { type: "string", default: "20" },
    play: { type: "string", default: "20" },
    entries: { type: "string", default: "3000" },
    readers: { type: "string", default: "0" },
    faults: { type: "string", default: "" },
    straight: { type: "boolean", default: false },
    profile: { type: "string" },
    write: { type: "string" },
    check: { type: "string" }
  }
}).values

const faults = said.faults.split(",").filter((each) => each !== "")
const unknown = faults.find((each) => !(FAULTS as ReadonlyArray<string>).includes(each))
if (unknown !== undefined) throw new Error(`--faults ${unknown}: there is ${FAULTS.join(", ")}`)

export const options = {
  nodes: Number(said.nodes),
  /** Runners at first and at the end of the ramp. */
  from: Number(said.from),
  runners: Number(said.runners),
  /** Of the ramp, of each stage that follows, and how long a match is played. */
  ramp_s: Number(said.ramp),
  stage_s: Number(said.seconds),
  play_s: Number(said.play),
  /** A sixth as many matches are played at once; all other runners wait. */
  entries: Number(said.entries),
  /** Ladder pages a second. */
  reads_per_s: Number(said.readers),
  faults: faults as ReadonlyArray<Fault>,
  /** Past nginx. */
  straight: said.straight,
  /** A directory for CPU profiles of the nodes. */
  profile: said.profile,
  /** Files that the measured costs are written to, or that this run is compared with. */
  write: said.write,
  check: said.check
}
