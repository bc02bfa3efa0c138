// How a call of a described CLI ends: retries that it announces are cut before they are paid, and each ending has its exit code.

import { chmodSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallRecord } from '../../../policies/report/call-record.ts';
import { TestRig } from '../../rig/test-rig.ts';
import { TOO_LATE, withinLimit } from '../../rig/within-limit.ts';

const test = suite<{ rig: TestRig }>('the end of a described call');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: [] });
});
test.after.each(({ rig }) => rig.dispose());

/** `asked` has a line for each request that the script made. */
async function call(rig: TestRig, script: string, row: string, ...flags: string[]) {
  const asked = path.join(rig.root, 'asked');
  const text = `#!/bin/sh\nask() { echo asked >> '${asked}'; }\nask\n${script}\n`;
  if (script !== '') chmodSync(rig.write('mine.sh', text), 0o755);
  rig.write('tollgate.yaml', `tools:\n  mine:\n    binary: ./mine.sh\n${row}`);
  rig.write('ask.md', 'Say hello.\n');
  const usual = ['--prompt-file=ask.md', '--out=a.out', '--err=a.err', '--result=a.json', '--trust-workspace'];
  const { code } = await rig.run('tollgate', ['call', 'mine', ...usual, ...flags]);
  const record = JSON.parse(readFileSync(path.join(rig.project, 'a.json'), 'utf8')) as CallRecord;
  const out = path.join(rig.project, 'a.out');
  return {
    code,
    record,
    asked: existsSync(asked) ? readFileSync(asked, 'utf8').trim().split('\n').length : 0,
    out: existsSync(out) ? readFileSync(out, 'utf8') : null,
  };
}

const ON_STDERR = "    retries: { announced: ['retrying in * after: *'] }\n";
const SAYS_SO = 'echo "warn: retrying in 9s after: HTTP 429 Too Many Requests" >&2';
const IN_LINES = `    output: lines
    events: [{ when: { type: retry }, retry: why }, { when: { type: end }, answer: text, completed: true }]
`;

const IN_LOG = `    log: { variable: MINE_LOG, events: [{ when: { of.event.name: again }, retry: of.why }] }
`;

const IN_STEPS = `    output: lines
    events: [{ when: { type: ask }, requested: true }, { when: { type: end }, answered: true, tool: tool, answer: text }]
`;
const STEP = (more: string) => `echo '{"type":"ask"}'; echo '{"type":"end"${more}}'`;

test('a request before the end of an answer is cut', async ({ rig }) => {
  const again = await call(rig, `echo '{"type":"ask"}'; echo '{"type":"ask"}'; sleep 600; ask`, IN_STEPS);
  assert.equal([again.record.ending, again.record.verdict.reason, again.asked], ['retry_cut', 'cut_answer', 1]);
});

test('a turn beyond the limit is cut, or left to its own flag', async ({ rig }) => {
  const worked = `${STEP(',"tool":"bash","text":""')}; ${STEP(',"tool":"bash","text":""')}; sleep 600; ask`;
  const { record, asked } = await call(rig, worked, IN_STEPS, '--max-turns=2');
  assert.equal([record.ending, record.usage.turns, asked], ['max_turns', 2, 1]);
  const named = await call(rig, 'echo "$*"', "    argv: [['--turns={max_turns}'], go]\n", '--max-turns=3');
  assert.is(named.out, '--turns=3 go\n');
});

const ANNOUNCED: [where: string, row: string, says: string][] = [
  ['on stderr', ON_STDERR, SAYS_SO],
  ['in its lines', IN_LINES, `echo '{"type":"retry","why":"HTTP 429 Too Many Requests"}'`],
  [
    'in its log',
    IN_LOG,
    `printf '{\\n  "of": {"event.name": "again", "why": "HTTP 429 Too Many Requests"}\\n}\\n' >> "$MINE_LOG"`,
  ],
];
for (const [where, row, says] of ANNOUNCED)
  test(`a retry announced ${where} is cut before it is paid`, async ({ rig }) => {
    const { code, record, asked } = await call(rig, `${says}; sleep 600; ask; echo late`, row);
    assert.equal([code, record.ending, record.verdict.reason, asked], [12, 'retry_cut', 'rate_limit', 1]);
    assert.equal(rig.survivors(), []);
  });

test('with --inner-retries allow it continues', async ({ rig }) => {
  const { code, asked, out } = await call(rig, `${SAYS_SO}; ask; echo Hello.`, ON_STDERR, '--inner-retries=allow');
  assert.equal([code, asked, out], [0, 2, 'Hello.\n']);
});

test('what turns its retries down is given, unless they are allowed', async ({ rig }) => {
  const row = "    argv: [one, '{retries}', two]\n    retries: { argv: [--tries, '1'], environment: { TRIES: '1' } }\n";
  assert.is((await call(rig, 'echo "$* $TRIES"', row)).out, 'one --tries 1 two 1\n');
  assert.is((await call(rig, 'echo "$* $TRIES"', row, '--inner-retries=allow')).out, 'one two \n');
});

test('its settings are in a file of the call, with what turns its retries down unless they are allowed', async ({
  rig,
}) => {
  const row = `    settings: { variable: MINE_SETTINGS, content: { memory: false } }
    retries: { settings: { tries: { most: 1 } } }
`;
  const show = 'cat "$MINE_SETTINGS"';
  assert.is((await call(rig, show, row)).out, '{"memory":false,"tries":{"most":1}}');
  assert.is((await call(rig, show, row, '--inner-retries=allow')).out, '{"memory":false}');
  rig.env.MINE_SETTINGS = rig.write('own.json', '{}');
  assert.is((await call(rig, show, row)).out, '{}');
});

test('of a text the lines around the answer are omitted, and its last line has the counts', async ({ rig }) => {
  const row = `    omit: ['Mine v*']
    trailer: ['Tokens: {input} sent, {output} received. Cost: \${usd} *']
`;
  const script =
    'printf "Mine v1.2\\n\\nHello.\\nMine v2\\nBye.\\n\\nTokens: 2.1k sent, 1,330 received. Cost: \\$0.04 message\\n"';
  const { out, record } = await call(rig, script, row);
  assert.is(out, 'Hello.\nMine v2\nBye.');
  assert.equal(
    [record.usage.input_tokens, record.usage.output_tokens, record.usage.total_tokens, record.usage.usd],
    [2100, 1330, 3430, 0.04],
  );
});

test('a line of stderr that says nothing is not why it failed', async ({ rig }) => {
  const script = 'echo "Helper not available: EACCES: permission denied" >&2; exit 1';
  assert.is((await call(rig, script, '')).record.verdict.reason, 'permission');
  const { record } = await call(rig, script, "    omit: ['Helper not available: *']\n");
  assert.is.not(record.verdict.reason, 'permission');
  assert.not.match(record.verdict.evidence?.text ?? '', 'Helper');
});

test('it gets the name of a new session, and the flag to continue in it', async ({ rig }) => {
  const row = "    argv: [[--name, '{new_session}'], [--resume, --name, '{session}']]\n";
  const first = await call(rig, 'echo "$*"', row);
  assert.is(first.out, `--name ${first.record.session_id}\n`);
  const then = await call(rig, 'echo "$*"', row, `--resume-session=${first.record.session_id}`);
  assert.is(then.out, `--resume --name ${first.record.session_id}\n`);
});

const EXITS = '    exits: { timeout: 91, failure: 92, missing_binary: 93, bad_input: 94 }\n';
const ENDINGS: [ending: string, script: string, flags: string[], code: number][] = [
  ['overflowed', 'yes', ['--max-output-bytes=100000'], 92],
  ['exited', 'exit 3', [], 92],
  ['signalled', 'kill -9 $$', [], 92],
  ['not_started', '', [], 93],
  ['not_started', 'echo Hello.', ['--model=m'], 94],
];
for (const [ending, script, flags, exit] of ENDINGS)
  test(`${ending} ${script === '' ? 'without a program' : flags.join(' ')}: ${exit}`, async ({ rig }) => {
    const { code, record } = await call(rig, script, EXITS, ...flags);
    assert.equal([code, record.ending], [exit, ending]);
    assert.equal(rig.survivors(), []);
  });

for (const [ending, flag] of [
  ['timed_out', '--timeout-ms'],
  ['idle', '--idle-timeout-ms'],
] as const)
  test(`${ending} ${flag}: 91`, async ({ rig }) => {
    const { code, record } = await withinLimit(700, async (limitMs) => {
      const ended = await call(rig, 'echo begun; sleep 600', EXITS, `${flag}=${limitMs}`);
      return ended.asked > 0 ? ended : TOO_LATE;
    });
    assert.equal([code, record.ending], [91, ending]);
    assert.equal(rig.survivors(), []);
  });

test.run();
