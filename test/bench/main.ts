/**
 * The index of benches. Each is a program of its own and prints ratios measured in one interleaved run;
 * figures that stand alone mean little on a machine that others use.
 *
 *   npm run bench                       every bench with its ordinary arguments, some 50 minutes
 *   npm run bench http start            some
 *   npm run bench http -- 9 5           one, with arguments of its own
 */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"

const BENCHES = {
  engine: "turns a second of the game engines",
  play: "match cycles a second at the season's mailbox and over HTTP, against job queues on the same Postgres",
  fleet: "a fleet of simulated runners through nginx: latencies, memory and CPU time of each operation, and whether the books add up",
  reads: "what reads cost over a million matches, against hand-written SQL, and what grows",
  http: "what a read costs, against bare servers and Fastify",
  paint: "when the site's pages are seen on a slow phone's line",
  pages: "what a page of the site costs, kept and made anew, against the API read beneath it",
  sandbox: "what playing models costs: first logits, matches a second of a core, the share outside inference, memory",
  removal: "what removing a season costs, row by row and by dropping its partition, and what partitions cost reads and commits",
  start: "from scripts/start on empty data to the first answer and the first rated match",
  ratings: "how well the live rating, a refit and other methods order fields of known strength",
  collusion: "how often pairs of owners are listed where nobody colludes, and where two do"
}
type Bench = keyof typeof BENCHES

const run = (name: Bench, args: ReadonlyArray<string>) =>
  new Promise<number>((resolve) => {
    const program = join(import.meta.dirname, `${name}.ts`)
    console.log(`\n== ${name}: ${BENCHES[name]}`)
    if (!existsSync(program)) {
      console.log(`${name}: skipped, ${program} is not there`)
      return resolve(0)
    }
    spawn(process.execPath, [program, ...args], { stdio: "inherit" }).on("exit", (status) => resolve(status ?? 1))
  })

const words = process.argv.slice(2).filter((word) => word !== "--")
const isBench = (word: string): word is Bench => word in BENCHES
const chosen = words.filter(isBench)
const args = words.filter((word) => !isBench(word))
if (args.length > 0 && chosen.length !== 1) {
  console.error(`bench: ${args.join(" ")}: there is ${Object.keys(BENCHES).join(", ")}; arguments go to one of them at a time`)
  process.exit(2)
}
for (const name of chosen.length > 0 ? chosen : (Object.keys(BENCHES) as ReadonlyArray<Bench>)) {
  if ((await run(name, args)) !== 0) process.exitCode = 1
}
