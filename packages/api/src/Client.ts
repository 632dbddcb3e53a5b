/**
 * The typed client: one method per endpoint (`client.runner.lease({ payload })`), refusals as the
 * classes of their code. Runners call it with a bearer key, tests with a session cookie.
 */
import type { Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Api } from "./Api.ts"

export type Credential = { readonly key: string } | { readonly session: string } | undefined

const present = (credential: Credential) => (request: HttpClientRequest.HttpClientRequest) => {
  if (credential === undefined) return request
  return "key" in credential
    ? HttpClientRequest.bearerToken(request, credential.key)
    : HttpClientRequest.setHeader(request, "cookie", `service_session=${credential.session}`)
}

/** `baseUrl` is the service's origin; the caller provides an HttpClient. */
export const makeClient = (baseUrl: string, credential?: Credential) =>
  HttpApiClient.make(Api, { baseUrl, transformClient: HttpClient.mapRequest(present(credential)) })

export type Client = Effect.Success<ReturnType<typeof makeClient>>
