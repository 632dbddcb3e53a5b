import { Api } from "@agon/api/Api.ts"
import { CurrentAccount } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { group } from "../http/group.ts"
import { Submissions } from "./Submissions.ts"

export const SubmissionHandlers = group(
  Api,
  "submission",
  Effect.fnUntraced(function* (handlers) {
    const submissions = yield* Submissions
    return handlers.handleAll({
      submit: ({ payload }) => Effect.flatMap(CurrentAccount, (account) => submissions.submit(account, payload)),
      reenter: ({ payload }) => Effect.flatMap(CurrentAccount, (account) => submissions.reenter(account, payload)),
      preflight: ({ params, query }) => Effect.flatMap(CurrentAccount, (account) => submissions.preflight(account, params.game, query))
    })
  })
)
