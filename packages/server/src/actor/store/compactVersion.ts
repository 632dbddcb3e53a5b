/**
 * A version as the state holds it, copied field by field. The driver sets one column after another,
 * which leaves a hash table for each row: over 100,000 versions that is four times the size of objects
 * of one shape, and slower to read.
 */
import type { Version } from "@agon/domain/season/Version.ts"

export const compactVersion = (row: Version): Version => ({
  id: row.id,
  ord: row.ord,
  model: row.model,
  owner: row.owner,
  number: row.number,
  weights_hash: row.weights_hash,
  manifest_hash: row.manifest_hash,
  created_at: row.created_at,
  status: row.status,
  phase: row.phase,
  upload_until: row.upload_until,
  weights_bytes: row.weights_bytes,
  manifest_bytes: row.manifest_bytes,
  class: row.class,
  admit_attempt: row.admit_attempt,
  admit_failures: row.admit_failures,
  admit_key: row.admit_key,
  param_count: row.param_count,
  infer_us: row.infer_us,
  memory_flat: row.memory_flat,
  memory_cell: row.memory_cell,
  memory_bytes: row.memory_bytes,
  runtime_version: row.runtime_version,
  reject_reason: row.reject_reason,
  reject_detail: row.reject_detail,
  successor: row.successor,
  trial_played: row.trial_played,
  trial_failed: row.trial_failed,
  trial_void: row.trial_void,
  disqualified: row.disqualified,
  owner_removed: row.owner_removed,
  streak: row.streak
})
