/**
 * The exports of the package `@agon/client` under its own name (scripts/packClient.ts); schemas and refusals
 * are beside it, by their files.
 */
export { Api } from "./Api.ts"
export { type Client, type Credential, makeClient, makeStrictClient, SESSION_COOKIE, sessionOf, type Visit } from "./Client.ts"
export { firstPage, type PageQuery, pageAfter, pages } from "./Pages.ts"
export { retryRefused, waitOf } from "./retryRefused.ts"
export { type Files, type OnSent, sendFile, sendFiles, UploadFailed } from "./submission/sendFiles.ts"
