/**
 * The rules document and weight classes that an administrator sends, refused with every fault
 * named (docs/contract.md#rules).
 */

import { sentencesOf } from "@agon/api/fieldErrors.ts"
import { InvalidRequest } from "@agon/api/Problem.ts"
import { RulesInvalid } from "@agon/api/season/creation.ts"
import { type Fault, faultsOfClasses, type RulesPatch, rulesPatchOf } from "@agon/domain/season/Editing.ts"
import type { WeightClass } from "@agon/domain/season/Rules.ts"
import { Effect } from "effect"

/** Turns the faults that a season, or its creation, finds in a request into a refusal. */
export const refusing = (refused: "invalid_request" | "rules_invalid", errors: ReadonlyArray<Fault>) => {
  const said = { detail: sentencesOf(errors), errors }
  return Effect.fail(refused === "invalid_request" ? new InvalidRequest(said) : new RulesInvalid(said))
}

/** The rules that the body names; classes are checked where it has some. */
export const rulesOf = (body: {
  readonly rules?: Readonly<Record<string, unknown>>
  readonly weight_classes?: ReadonlyArray<WeightClass>
}): Effect.Effect<RulesPatch, InvalidRequest | RulesInvalid> => {
  const rules = rulesPatchOf(body.rules ?? {})
  const classes = body.weight_classes === undefined ? [] : faultsOfClasses(body.weight_classes)
  if ("refused" in rules) return refusing(rules.refused, [...rules.errors, ...classes])
  return classes.length > 0 ? refusing("rules_invalid", classes) : Effect.succeed(rules.value)
}
