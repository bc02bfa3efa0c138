// tollgate triage --test: a corpus all as labelled, one that is not, and one that cannot be read.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TestRig } from '../../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('triage --test');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: [] });
});
test.after.each(({ rig }) => rig.dispose());

const CASE = { tool: 'codex', at: '2026-11-21T21:00:00.000Z', exit_code: 1, rendering: 'text' };
const KEY = { ...CASE, stderr: 'ERROR: 401 Unauthorized: Incorrect API key provided: sk-aaaa\n', identity: 'bad-key' };
const RIGHT = [
  { ...KEY, id: 'key-1', class: 'auth', reason: 'bad_key' },
  { ...KEY, id: 'key-2', class: 'auth', stderr: KEY.stderr.replace('aaaa', 'bbbb') },
  { ...CASE, id: 'done', exit_code: 0, stdout: 'An answer.', class: null, identity: 'none' },
  {
    ...CASE,
    id: 'limit',
    stderr: 'ERROR: 429 Too Many Requests: try again in 20s\n',
    class: 'transient',
    retry_at: '2026-11-21T21:00:20Z',
    identity: 'rate-limit',
  },
];
const WRONG = [
  { ...RIGHT[0], id: 'as-quota', class: 'quota' },
  { ...RIGHT[0], id: 'as-network', reason: 'network' },
  { ...RIGHT[3], id: 'later', retry_at: '2026-11-21T22:00:00Z', identity: 'plan-limit' },
  { ...RIGHT[2], id: 'failed', class: 'unknown', identity: 'nothing-said' },
  { ...KEY, id: 'other-key', class: 'auth', stderr: 'ERROR: 401 Unauthorized: the key was revoked\n' },
];
const jsonl = (cases: readonly object[]): string => cases.map((one) => `${JSON.stringify(one)}\n`).join('');

test('all as labelled', async ({ rig }) => {
  rig.write('cases.jsonl', jsonl(RIGHT));
  assert.equal(await rig.run('tollgate', ['triage', '--test', 'cases.jsonl']), {
    code: 0,
    signal: null,
    stdout: '4 cases: 4 judged as labelled, 0 not; false merges: 0, splits: 0\n',
    stderr: '',
  });
  const quiet = await rig.run('tollgate', ['triage', '--test', '.', '--quiet']);
  assert.equal([quiet.code, quiet.stdout], [0, '4 cases: 4 judged as labelled, 0 not; false merges: 0, splits: 0\n']);
});

test('what is judged otherwise is told with the rule that decided, then merges and splits', async ({ rig }) => {
  rig.write('corpus/right.jsonl', jsonl(RIGHT));
  rig.write('corpus/wrong.jsonl', jsonl(WRONG));
  const { code, stdout, stderr } = await rig.run('tollgate', ['triage', '--test', 'corpus']);
  assert.equal([code, stderr], [1, '']);
  const told = stdout.replace(/v1:[0-9a-f]{64}/g, 'v1:…');
  assert.is(
    told,
    `as-quota  corpus/wrong.jsonl:1
  class: expected quota, got auth
  by rule access-key [stderr]: 401 Unauthorized: Incorrect API key provided: sk-aaaa

as-network  corpus/wrong.jsonl:2
  reason: expected network, got bad_key
  by rule access-key [stderr]: 401 Unauthorized: Incorrect API key provided: sk-aaaa

later  corpus/wrong.jsonl:3
  retry_at: expected 2026-11-21T22:00:00Z, got 2026-11-21T21:00:20.000Z
  by rule quota-passing [stderr]: 429 Too Many Requests: try again in 20s

failed  corpus/wrong.jsonl:4
  class: expected unknown, got success
  judged a success by its terminal event, or by its exit code and an answer

2 failures have one signature: v1:…
  rate-limit: limit
  plan-limit: later

2 signatures for one failure: bad-key as text
  v1:…: key-1, key-2, as-quota, as-network
  v1:…: other-key

9 cases: 5 judged as labelled, 4 not; false merges: 1, splits: 1
`,
  );
});

test('--json has the same', async ({ rig }) => {
  rig.write('cases.jsonl', jsonl([...RIGHT, WRONG[2]!]));
  const { code, stdout } = await rig.run('tollgate', ['triage', '--test', 'cases.jsonl', '--json']);
  assert.is(code, 1);
  const { failed, merges, ...sums } = JSON.parse(stdout);
  assert.equal(sums, { schema: 1, cases: 5, as_labelled: 4, splits: [] });
  const { id, file, line, differs, verdict } = failed[0];
  assert.equal([failed.length, id, file, line, verdict.evidence.rule], [1, 'later', 'cases.jsonl', 5, 'quota-passing']);
  assert.equal(differs, [{ what: 'retry_at', expected: '2026-11-21T22:00:00Z', got: '2026-11-21T21:00:20.000Z' }]);
  assert.equal([merges.length, merges[0].failures], [1, { 'rate-limit': ['limit'], 'plan-limit': ['later'] }]);
});

const MISTAKES: [argv: string[], err: string][] = [
  [['--test', 'nosuch'], 'tollgate triage: --test: nosuch cannot be read (ENOENT)\n'],
  [
    ['--test', 'bad.jsonl'],
    'tollgate triage: --test: bad.jsonl:1: id is missing; expected a name such as codex-bad-key-json\n',
  ],
  [
    ['--test', 'bad.jsonl', '--tool', 'codex'],
    'tollgate triage: --test judges the cases of its corpus; leave out --tool\n',
  ],
  [['--test', 'bad.jsonl', 'err.txt'], 'tollgate triage: --test judges the cases of its corpus; leave out err.txt\n'],
];
for (const [argv, err] of MISTAKES)
  test(argv.join(' '), async ({ rig }) => {
    rig.write('bad.jsonl', jsonl([{ ...RIGHT[0], id: undefined }]));
    assert.equal(await rig.run('tollgate', ['triage', ...argv]), {
      code: 2,
      signal: null,
      stdout: '',
      stderr: err,
    });
  });

test.run();
