/** The operations of an OpenAPI document, with what each takes and may answer. */

export interface Operation {
  readonly route: string
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<string>
  readonly body: any
  /** `404 not_found`, and for successes the bare status. */
  readonly answers: ReadonlySet<string>
}

export const operationsOf = (document: any): ReadonlyArray<Operation> => {
  const resolve = resolver(document)
  return Object.entries<any>(document.paths).flatMap(([path, operations]) =>
    Object.entries<any>(operations).map(([method, { parameters = [], requestBody, responses }]) => ({
      route: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      query: parameters.filter((one: any) => one.in === "query").map((one: any) => one.name),
      body: requestBody?.content["application/json"].schema,
      answers: new Set(Object.entries<any>(responses).flatMap(([status, { content }]) => answersOf(status, content, resolve)))
    }))
  )
}

/** Follows a reference to its schema. */
export const resolver =
  (document: any) =>
  (schema: any): any =>
    schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split("/").at(-1)]

const answersOf = (status: string, content: any, resolve: (schema: any) => any): ReadonlyArray<string> => {
  const problem = resolve(content?.["application/problem+json"]?.schema)
  if (problem === undefined) return [status]
  return (problem.anyOf ?? [problem]).map((one: any) => `${status} ${resolve(one).properties.code.enum[0]}`)
}
