/** The whole API. `Boundary` comes last: a middleware covers only the groups added before it. */
import { HttpApi, OpenApi } from "effect/http-api"
import { Boundary } from "./Boundary.ts"
import { RunnerGroup } from "./runner/protocol.ts"

export class Api extends HttpApi.make("agon")
  .add(RunnerGroup)
  .middleware(Boundary)
  .annotate(HttpApi.QueryParseOptions, { errors: "all" }) // the default stops at the first
  .annotate(HttpApi.PayloadParseOptions, { errors: "all" })
  .annotateMerge(OpenApi.annotations({ title: "Agon", version: "1" })) {}
