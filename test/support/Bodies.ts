/**
 * Whether the body of a success is one by the schema that the OpenAPI document gives for
 * it: fields, forms and bounds.
 */

import { Api } from "@agon/api/Api.ts"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import { OpenApi } from "effect/http-api"

const document = OpenApi.fromApi(Api) as any
const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema(document, "document")

const made = new Map<string, ValidateFunction>()

/** A path as a part of a JSON pointer in an address. */
const pointed = (path: string) => encodeURIComponent(path.replaceAll("~", "~0").replaceAll("/", "~1"))

const checkOf = (method: string, path: string, status: number): ValidateFunction | undefined => {
  const at = `${method} ${path} ${status}`
  const { content } = document.paths[path][method.toLowerCase()].responses[status]
  if (content?.["application/json"] === undefined) return undefined
  const schema = `document#/paths/${pointed(path)}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`
  const check = made.get(at) ?? ajv.compile({ $ref: schema })
  made.set(at, check)
  return check
}

/**
 * The first few faults of a body, each as its place and how it is wrong. `path` has the form of the
 * document: `/v1/models/{id}`.
 */
export const faultsOfBody = (method: string, path: string, status: number, text: string): ReadonlyArray<string> => {
  const check = checkOf(method, path, status)
  if (check === undefined || check(JSON.parse(text))) return []
  return (check.errors ?? []).slice(0, 5).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
