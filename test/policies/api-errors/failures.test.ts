// Which verdicts are worth an entry: what the service said, and what it owed; not our own limits and refusals.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isApiFailure } from '../../../policies/api-errors/failures.ts';
import type { Verdict } from '../../../policies/facts/evidence.ts';

type Circumstances = Parameters<typeof isApiFailure>[1];

const BEGUN: Circumstances = {
  ending: 'exited',
  status: null,
  named: null,
  said: true,
  hasBegun: true,
  answered: false,
};
const verdict = (errorClass: Verdict['class'], reason: string | null, source = 'failure'): Verdict => ({
  class: errorClass,
  reason,
  evidence: { source, text: '', rule: 'r' } as Verdict['evidence'],
  retry_at: null,
});

const ROWS: readonly [what: string, Verdict, Partial<Circumstances>, logged: boolean][] = [
  ['a success', verdict(null, null), {}, false],
  ['an overloaded service', verdict('transient', 'overloaded'), {}, true],
  ['a history that does not fit', verdict('tooling', 'broken_history'), {}, true],
  ['a model that is not there', verdict('tooling', 'model_not_found'), {}, true],
  ['a key that is not taken', verdict('auth', 'bad_key'), {}, true],
  ['a quota of the plan', verdict('quota', 'plan'), {}, true],
  ['our own budget', verdict('quota', 'budget', 'none'), {}, false],
  ['a missing binary', verdict('tooling', 'binary_missing', 'none'), { ending: 'not_started' }, false],
  ['a bad flag', verdict('tooling', 'bad_flag', 'stderr'), {}, false],
  ['a setting that the service refuses', verdict('tooling', 'bad_flag'), { named: 'invalid_request_error' }, true],
  ["a setting by a code of Google's", verdict('tooling', 'config'), { named: 'INVALID_ARGUMENT' }, true],
  ['a full disk', verdict('tooling', 'disk_full'), { named: 'ENOSPC' }, false],
  ["a CLI's own error", verdict('tooling', 'session_id'), { named: 'FatalInputError' }, false],
  ['a row of the project for a 500', verdict('contract_violation', 'ours'), { status: 500 }, true],
  ['a filter of the service', verdict('contract_violation', 'content_filter'), {}, true],
  ['too many turns', verdict('contract_violation', 'max_turns', 'ending'), { ending: 'max_turns' }, false],
  ['told to stop', verdict('transient', 'cancelled', 'ending'), { ending: 'cancelled', status: 500 }, false],
  ['it died with its wrapper', verdict('transient', 'interrupted', 'ending'), { ending: 'lost' }, false],
  ['unknown words of the engine', verdict('unknown', 'unmatched', 'error'), {}, true],
  ['an exit code and no word', verdict('unknown', 'unmatched', 'exit_code'), { said: false }, false],
  [
    'a deadline after an error',
    verdict('transient', 'timeout', 'ending'),
    { ending: 'timed_out', answered: true },
    true,
  ],
  ['a deadline while it worked', verdict('transient', 'timeout', 'ending'), { said: false, answered: true }, false],
  ['a deadline and never an answer', verdict('transient', 'timeout', 'ending'), { said: false }, true],
  ['a deadline before it asked', verdict('transient', 'idle', 'ending'), { said: false, hasBegun: false }, false],
  ["the service's own timeout", verdict('transient', 'timeout'), { answered: true }, true],
];

for (const [what, given, more, logged] of ROWS)
  test(`${what}: ${logged ? 'logged' : 'not logged'}`, () =>
    assert.is(isApiFailure(given, { ...BEGUN, ...more }), logged));

test.run();
