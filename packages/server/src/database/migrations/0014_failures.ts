/** The cost of failed matches in an entry's place in the queue, and whose fault they may be (domain/season/scheduler/Faults.ts). */
export default `
ALTER TABLE rating ADD COLUMN failed float8 NOT NULL DEFAULT 0;

-- domain/season/State.ts: Try[], null where nothing has failed
ALTER TABLE live ADD COLUMN tries jsonb;

-- domain/season/State.ts: Streak, null where the last match was played
ALTER TABLE version ADD COLUMN streak jsonb;
ALTER TABLE version DROP CONSTRAINT version_phase_check;
ALTER TABLE version ADD CONSTRAINT version_phase_check CHECK (phase IN ('upload', 'review', 'trial', 'suspended'))
`
