/**
 * Several nodes of the service as an operator has them: processes on one Postgres, one data directory and one Redis,
 * behind nginx, with runners that know nginx alone. Everything is signalled and killed by pid.
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Launched from "@agon/embedded-postgres/testing/LaunchedService.ts"
import { Effect, Exit, Scope } from "effect"
import pg from "pg"
import { assert } from "vitest"
import { Browser } from "../support/Browser.ts"
import { eventuallyAsync, Hopeless } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import * as StubProvider from "../support/StubProvider.ts"
import * as Nginx from "./Nginx.ts"
import * as Program from "./Program.ts"
import { Visitor } from "./Visitor.ts"

/** Slug of the way to sign in. */
const PROVIDER = "stub"
const ROOT = join(import.meta.dirname, "../..")

/** Characters of a node's log that a failed stop shows. */
const LOG_TOLD = 4_000

const started = new Set<Program.Program>()

/** `root` is the checkout whose program it is: this one, or an older release's. */
const run = (program: string, environment: Readonly<Record<string, string>>, root = ROOT): Program.Program => {
  const one = Program.launch(process.execPath, [join(root, program)], environment)
  started.add(one)
  return one
}

/** A node through all its lives: its address stays. */
export class Node {
  readonly origin: string
  readonly address: string
  private readonly metrics: string
  private readonly environment: Readonly<Record<string, string>>
  private life: Program.Program | undefined

  constructor(
    ports: { readonly http: number; readonly nodes: number; readonly metrics: number },
    environment: Readonly<Record<string, string>>
  ) {
    const at = (port: number) => `127.0.0.1:${port}`
    this.address = at(ports.http)
    this.origin = `http://${this.address}`
    this.metrics = at(ports.metrics)
    this.environment = { ...environment, PORT: String(ports.http), AGON_NODE: at(ports.nodes), AGON_METRICS: this.metrics }
  }

  get process(): Program.Program {
    if (this.life === undefined) throw new Error(`${this.address} was never started`)
    return this.life
  }

  get runs(): boolean {
    return this.life !== undefined && !this.life.over()
  }

  async start(root?: string): Promise<void> {
    const life = run("packages/server/src/main.ts", this.environment, root)
    this.life = life
    await eventuallyAsync(`an answer of ${this.address}`, async () => {
      if (life.over()) throw new Hopeless(`the node ended: ${life.log()}`)
      return (await fetch(`${this.origin}/readyz`)).ok
    })
  }

  signal(name: NodeJS.Signals): void {
    process.kill(this.process.pid, name)
  }

  /** It was told to stop, and stops as it should. */
  async stopped(): Promise<void> {
    const { ended, log } = this.process
    const { status } = await ended
    assert.strictEqual(status, 0, log().slice(-LOG_TOLD))
  }

  /** The seasons that live here, by id. */
  async seasons(): Promise<ReadonlyArray<string>> {
    return [...(await this.measured()).matchAll(/^agon_season_here\{[^}]*season="([^"]+)"[^}]*\} 1$/gm)].map(([, season]) => season!)
  }

  /** Asks of seasons on other nodes since its start. */
  async asksElsewhere(): Promise<number> {
    return Number(/^agon_season_asks_direct_total(?:\{[^}]*\})? (\S+)$/m.exec(await this.measured())?.[1] ?? 0)
  }

  private async measured(): Promise<string> {
    return (await fetch(`http://${this.metrics}/metrics`, { signal: AbortSignal.timeout(2_000) })).text()
  }
}

export interface World {
  readonly nodes: ReadonlyArray<Node>
  readonly nginx: Nginx.Nginx
  readonly origin: string
  readonly database: Launched.Running
  /** The database's directory, and the nodes' unless they live apart. */
  readonly directory: string
  readonly query: <Row = Record<string, any>>(text: string, values?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<Row>>
  /** Somebody who has signed in through nginx, with the provider that all nodes have. */
  readonly signedIn: (login: string) => Promise<Visitor>
  /** The running node that hosts the season, if one does. */
  readonly owner: (season: string) => Promise<Node | undefined>
  readonly runner: (key: string, slots: number, root?: string) => Program.Program
  readonly end: () => Promise<void>
}

export interface Options {
  readonly environment: Readonly<Record<string, string>>
  /** Variables that the n-th node has besides. */
  readonly own?: (n: number) => Readonly<Record<string, string>>
  /**
   * Each node has a directory of its own, as on machines of their own, with the same
   * secrets: objects are in a bucket.
   */
  readonly apart: boolean
  /** Before the nodes start. */
  readonly prepare?: (database_url: string) => Promise<unknown>
  readonly nginx?: Nginx.Size
  /**
   * The checkout that nodes are started from, this one where none is named, and how many of them
   * are: all, unless it says fewer.
   */
  readonly root?: string
  readonly running?: number
}

export const start = async (count: number, options: Options): Promise<World> => {
  const { apart, environment, nginx: size, own, prepare, root, running = count } = options
  const directory = Launched.directory()
  const temporary: Array<string> = []
  const ownDirectory = (name: string) => {
    const path = mkdtempSync(join(tmpdir(), `agon-${name}-`))
    temporary.push(path)
    return path
  }
  const scope = Scope.makeUnsafe()
  const [database, nginx, { stub }] = await Promise.all([
    Launched.started(directory, { launcher: join(import.meta.dirname, "../support/launcher.ts") }),
    Nginx.make(size),
    Effect.runPromise(Scope.provide(StubProvider.started, scope))
  ])
  await prepare?.(database.url)
  const shared = {
    ...environment,
    DATABASE_URL: database.url,
    PUBLIC_ORIGIN: nginx.origin,
    AUTH_PROVIDERS: JSON.stringify([StubProvider.openIdConfig(PROVIDER, stub.origin)]),
    AGON_ADMIN: `${PROVIDER}:admin`,
    AGON_RUNTIMES: "test",
    TRUSTED_PROXIES: "127.0.0.1"
  }
  const nodes: Array<Node> = []
  for (let i = 0; i < count; i++) {
    const data = apart ? ownDirectory("node") : directory
    if (apart) cpSync(join(directory, "secrets"), join(data, "secrets"), { recursive: true })
    nodes.push(
      new Node({ http: await freePort(), nodes: await freePort(), metrics: await freePort() }, { ...shared, ...own?.(i), AGON_DATA: data })
    )
  }
  await Promise.all([nginx.start(nodes.map(({ address }) => address)), ...nodes.slice(0, running).map((node) => node.start(root))])
  const client = new pg.Pool({ connectionString: database.url, max: 2 })
  client.on("error", () => undefined)
  return {
    nodes,
    nginx,
    origin: nginx.origin,
    database,
    directory,
    query: async (text, values = []) => (await client.query(text, [...values])).rows,
    signedIn: async (login) => {
      const browser = new Browser()
      await StubProvider.signInThrough(PROVIDER, browser, nginx.origin, login)
      return new Visitor(nginx.origin, browser.cookie(nginx.origin, "service_session"))
    },
    owner: async (season) => {
      const here = nodes.map(async (node) => node.runs && (await node.seasons().catch((): ReadonlyArray<string> => [])).includes(season))
      return nodes[(await Promise.all(here)).indexOf(true)]
    },
    runner: (key, slots, root) => {
      const own = { AGON_RUNNER_KEY: key, AGON_RUNNER_SLOTS: String(slots), AGON_RUNNER_CACHE: ownDirectory("runner") }
      return run("packages/runner/src/main.ts", { AGON_URL: nginx.origin, ...own }, root)
    },
    end: async () => {
      await client.end().catch(() => undefined)
      for (const one of started) {
        if (!one.over()) process.kill(one.pid, "SIGKILL")
        await one.ended
      }
      started.clear()
      await nginx.stop()
      await Launched.cleanUp()
      await Effect.runPromise(Scope.close(scope, Exit.void))
      for (const path of temporary) rmSync(path, { recursive: true, force: true })
    }
  }
}
