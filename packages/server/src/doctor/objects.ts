/**
 * The object store: an object is written, read again and removed. A directory is tried as files, beside a
 * service that may be running.
 */

import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import * as fs from "node:fs/promises"
import { join } from "node:path"
import { Effect, Option } from "effect"
import type { SettingsShape } from "../config/Settings.ts"
import { refuse } from "../config/StartRefused.ts"
import { ObjectStore } from "../object/ObjectStore.ts"
import { FREE_SHARE_MIN } from "../object/Room.ts"
import * as S3Objects from "../object/s3/S3Objects.ts"
import type { S3Options } from "../object/s3/s3Requests.ts"
import { localDirectory } from "../objectLayers.ts"
import { about, type Finding, refusedIsBroken } from "./Finding.ts"

const objects = about("objects")
const ANSWER_TIMEOUT = "20 seconds"
const BYTES = 1_000

export const checkObjects = (settings: SettingsShape): Effect.Effect<ReadonlyArray<Finding>> =>
  (settings.s3 === undefined ? inDirectory(settings.directory) : inBucket(settings.s3, settings)).pipe(
    Effect.timeoutOrElse({
      duration: ANSWER_TIMEOUT,
      orElse: () => Effect.fail(refuse(`the object store did not answer in ${ANSWER_TIMEOUT}; look at its machine and the network`))
    }),
    refusedIsBroken("objects")
  )

/** Browsers send files to the bucket from pages of the origin, and from one under TLS nothing in the clear. */
export const inTheClear = ({ endpoint }: Pick<S3Options, "endpoint">, origin: string): ReadonlyArray<Finding> =>
  origin.startsWith("https:") && endpoint.startsWith("http:")
    ? [objects.mend("S3_ENDPOINT is http, and PUBLIC_ORIGIN https: browsers upload nothing there; put the S3 server behind TLS")]
    : []

type Whose = Pick<SettingsShape, "directory" | "public_origin">

const inBucket = (s3: S3Options, whose: Whose) =>
  Effect.gen(function* () {
    return (yield* S3Objects.hasBucket(s3)) ? yield* tried(s3, whose) : [missing(s3, whose), ...inTheClear(s3, whose.public_origin)]
  }).pipe(
    Effect.mapError((error) => {
      const detail = "detail" in error ? error.detail : error._tag
      return refuse(`S3_ENDPOINT: ${detail}${detail.includes("; ") ? "" : "; mend the access or the server"}`)
    })
  )

/** A service that has its secrets had a bucket too, or is a node beside others that have one. */
const missing = ({ bucket }: S3Options, { directory }: Whose) =>
  existsSync(join(directory, "secrets"))
    ? objects.mend(`bucket ${bucket} is not there, and the next start makes it; where the service has had another, name that in S3_BUCKET`)
    : objects.fine(`bucket ${bucket} is not there; the first start makes it`)

const tried = (s3: S3Options, { public_origin }: Whose) =>
  Effect.gen(function* () {
    const store = yield* ObjectStore
    const key = `incoming/doctor-${randomBytes(8).toString("hex")}`
    const bytes = new Uint8Array(randomBytes(BYTES))
    yield* store.put(key, bytes)
    const read = yield* store.get({ key, max_bytes: BYTES })
    yield* store.remove(key)
    const left = yield* store.stat(key)
    if (Option.isNone(read) || !Buffer.from(read.value).equals(Buffer.from(bytes)))
      return [objects.broken(`bucket ${s3.bucket}: an object is not read as it was written; S3_ENDPOINT is no S3 server that can be used`)]
    if (Option.isSome(left)) return [objects.broken(`bucket ${s3.bucket}: an object cannot be removed; allow S3_ACCESS_KEY_ID to delete`)]
    return [objects.fine(`an object was written to bucket ${s3.bucket}, read and removed`), ...inTheClear(s3, public_origin)]
  }).pipe(Effect.provide(S3Objects.layer(s3)))

const inDirectory = (data: string) => {
  const directory = localDirectory(data)
  if (!existsSync(directory)) return Effect.succeed([objects.fine(`the first start makes ${directory}`)])
  return Effect.tryPromise({
    try: async () => {
      const path = join(directory, `.doctor-${randomBytes(8).toString("hex")}`)
      const bytes = randomBytes(BYTES)
      await fs.writeFile(path, bytes, { flag: "wx", flush: true })
      const read = await fs.readFile(path).finally(() => fs.rm(path))
      const { bavail, blocks } = await fs.statfs(directory)
      if (!read.equals(bytes)) return [objects.broken(`${directory}: a file is not read as it was written; look at its disk`)]
      const share = bavail / Math.max(1, blocks)
      const free = `${(share * 100).toFixed(1)} % of the objects' disk is free`
      return share < FREE_SHARE_MIN ? [objects.mend(`${free}, and models are refused; make room`)] : [objects.fine(free)]
    },
    catch: (error) => refuse(`${directory} cannot be used (${(error as NodeJS.ErrnoException).code}); give it to the user of the service`)
  })
}
