/** Notices from the platform's administrators to everybody (docs/contract.md#moderation). */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { PlatformAdmin } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import * as page from "../Page.ts"
import { Notice, Notices, SendNotice } from "../season/notices.ts"

export class PlatformNoticeGroup extends HttpApiGroup.make("platformNotice")
  .add(
    HttpApiEndpoint.get("platformNotices", "/v1/admin/notifications", { query: page.query, success: Notices }),
    HttpApiEndpoint.post("notifyEverybody", "/v1/admin/notifications", {
      payload: SendNotice,
      success: Notice.pipe(HttpApiSchema.status(201))
    }).middleware(JsonBody)
  )
  .middleware(PlatformAdmin)
  .annotateEndpoints(Rate, "session") {}
