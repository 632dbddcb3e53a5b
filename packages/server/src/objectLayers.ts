/** The object store of the settings: the bucket that they name, or the data directory with routes of its own. */
import { join } from "node:path"
import { Effect, Layer } from "effect"
import type { Secrets } from "./config/Secrets.ts"
import type { SettingsShape } from "./config/Settings.ts"
import { refuse } from "./config/StartRefused.ts"
import { SharedClock } from "./database/SharedClock.ts"
import { LocalObjects } from "./object/directory/LocalObjects.ts"
import { layerInlineReplays, layerRoutes } from "./object/http.ts"
import { InlineReplays } from "./object/InlineReplays.ts"
import type { SignedUrlsOptions } from "./object/SignedUrls.ts"
import * as S3Objects from "./object/s3/S3Objects.ts"

/** The folder of AGON_DATA with the objects. */
export const localDirectory = (directory: string) => join(directory, "objects")

export const objectLayers = ({ directory, node, public_origin, s3 }: SettingsShape, { object_urls }: Pick<Secrets, "object_urls">) => {
  const unusable = ({ detail }: { readonly detail: string }) =>
    Layer.effectContext(Effect.fail(refuse(`the object store cannot be used: ${detail}`)))
  /** With the clock of all nodes, since any of them is asked for what another has signed. */
  const signing = <A, E, R>(layer: (urls: SignedUrlsOptions) => Layer.Layer<A, E, R>) =>
    Layer.unwrap(Effect.map(SharedClock, ({ now_ms }) => layer({ secret: object_urls, publicOrigin: public_origin, now_ms })))
  const withReplays = signing(InlineReplays.layer)
  if (s3 !== undefined) {
    const bucket = Layer.catchTag(S3Objects.layer(s3), "ObjectsUnavailable", unusable)
    return { store: bucket, withReplays, routes: layerInlineReplays }
  }
  const options = { directory: localDirectory(directory), isShared: node !== undefined }
  const local = Layer.catchTag(
    signing((urls) => LocalObjects.layer({ ...urls, ...options })),
    "ObjectsUnavailable",
    unusable
  )
  return { store: local, withReplays, routes: Layer.merge(layerInlineReplays, layerRoutes.pipe(Layer.provide(local))) }
}
