/**
 * The whole service in this process: every layer of the program on a fresh database, a temporary directory and a free
 * port. No runner beside it and no demo season: a test is the runner, and says when it reports.
 */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Client, type Credential, makeClient } from "@agon/api/Client.ts"
import { Settings, type SettingsShape } from "@agon/server/config/Settings.ts"
import { Foundations } from "@agon/server/Foundations.ts"
import { Program } from "@agon/server/program.ts"
import { NodeHttpClient } from "@effect/platform-node"
import { Context, Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { Browser, signIn } from "./Browser.ts"
import { freePort } from "./freePort.ts"
import * as Postgres from "./Postgres.ts"

export interface ServiceShape {
  readonly origin: string
  readonly directory: string
  /** The typed client of somebody who has signed in through the development provider. */
  readonly as: (login: string) => Effect.Effect<Client>
  /** The typed client of a runner with this key. */
  readonly runner: (key: string) => Effect.Effect<Client>
}

export class Service extends Context.Service<Service, ServiceShape>()("test/Service") {}

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-service-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
)

/** `over` replaces settings; whatever the program needs beside them is its own. */
export const layer = (over: Partial<SettingsShape> = {}) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const directory = yield* temporary
      const port = yield* Effect.promise(freePort)
      const origin = `http://127.0.0.1:${port}`
      const settings: SettingsShape = {
        host: "127.0.0.1",
        port,
        public_origin: origin,
        directory,
        database_url: yield* Postgres.url({ migrate: true }),
        node: undefined,
        node_tls: undefined,
        metrics: undefined,
        demo: false,
        admin: { provider: "dev", login: "admin" },
        runner_slots: 0,
        site: "off",
        s3: undefined,
        providers: [],
        development_sign_in: true,
        replay_check: 0,
        audit: 0,
        replay_days: 0,
        datasets: "off",
        runtimes: ["test"],
        trusted_proxies: [],
        redis_url: undefined,
        mail: undefined,
        otlp_url: undefined,
        otlp_share: 1,
        log_level: "Warn",
        ...over
      }
      const http = yield* HttpClient.HttpClient
      const client = (credential: Credential) => Effect.provideService(makeClient(origin, credential), HttpClient.HttpClient, http)
      const service: ServiceShape = {
        origin,
        directory,
        as: Effect.fnUntraced(function* (login) {
          const browser = new Browser()
          yield* Effect.promise(() => signIn(browser, origin, login))
          return yield* client({ session: browser.cookie(origin, "service_session")! })
        }),
        runner: (key) => client({ key })
      }
      return Layer.succeed(Service, service).pipe(
        Layer.provideMerge(Program.pipe(Layer.provide(Foundations.layer), Layer.provide(Layer.succeed(Settings, settings))))
      )
    })
  ).pipe(Layer.provide(NodeHttpClient.layerUndici))
