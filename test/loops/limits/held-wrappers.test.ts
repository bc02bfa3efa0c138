// Holds as whole wrapper processes meet them: what one was told keeps all others of its tool and account from starting their CLI.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BuiltIn } from '../../../policies/facts/tools.ts';
import type { CallRecord } from '../../../policies/report/call-record.ts';
import { ADAPTERS } from '../../../wrappers/adapters.ts';
import type { FakeCall } from '../../rig/fake-call.ts';
import { answerWith, failWith } from '../../rig/streams.ts';
import { TestRig } from '../../rig/test-rig.ts';
import { where } from '../../rig/where-possible.ts';

const test = suite<{ rig: TestRig }>('held wrappers');
const onLinux = where('linux', test);
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  context.rig.write('ask.md', 'Say hello.\n');
});
test.after.each(({ rig }) => rig.dispose());

interface Asked {
  tool?: BuiltIn;
  flags?: string[];
  env?: Record<string, string>;
}

/** Each with files of its own, as many may be at work at once. */
async function ask(rig: TestRig, name: string, { tool = 'codex', flags = [], env = {} }: Asked = {}) {
  const files = ['--out', `${name}.out`, '--err', `${name}.err`, '--result', `${name}.json`];
  const { code, stderr } = await rig.start(ADAPTERS[tool].command, ['--prompt-file', 'ask.md', ...files, ...flags], {
    env,
  }).result;
  const record = JSON.parse(readFileSync(path.join(rig.project, `${name}.json`), 'utf8')) as CallRecord;
  return { code, said: stderr, verdict: record.verdict, actions: record.next_actions ?? [] };
}

const FOUR = Array.from({ length: 4 }, (_, i) => `held-${i}`);
const OTHER_ACCOUNT = { env: { CODEX_API_KEY: 'another-account-of-mine' } };
const hello = (call: FakeCall) => answerWith(call.report.tool, 'hello');
const begun = ({ calls }: TestRig) => calls.map(({ report }) => report.tool);

test('a 429 of 20 s that one was told: no CLI of four others begins before it is over', async ({ rig }) => {
  // Long enough for a loaded machine to start one of the four meanwhile.
  rig.answer(() => failWith('codex', '429 Too Many Requests: please try again in 20s', 429));
  const { verdict } = await ask(rig, 'told');
  assert.equal([verdict.class, verdict.reason], ['transient', 'rate_limit']);
  const until = Date.parse(verdict.retry_at!);
  rig.answer(hello);
  const ends = await Promise.all(FOUR.map((name) => ask(rig, name)));
  assert.equal(
    ends.map(({ code }) => code),
    FOUR.map(() => 0),
  );
  assert.ok(ends.some(({ said }) => said.includes(`waits until ${new Date(until).toISOString()}`)));
  const early = rig.calls.slice(1).filter(({ report }) => report.began < until);
  assert.equal([rig.calls.length, early.length], [5, 0]);
});

onLinux('what a killed call left behind takes no place among the calls at once', async ({ rig }) => {
  await rig.run('tollgate', ['budget', '--at-once', '1']);
  const killed = rig.start('run_codex', ['--prompt-file', 'ask.md', '--out', 'a.out', '--err', 'a.err']);
  const fake = await rig.call();
  await fake.spawn(['sleep', '600'], { detached: true });
  killed.signal('SIGKILL');
  await killed.result;
  await fake.tell({ do: 'die', signal: 'SIGKILL' });
  rig.answer(hello);
  assert.is((await ask(rig, 'next')).code, 0);
  await rig.run('tollgate', ['preflight', '--sweep']);
  assert.equal(rig.survivors(), []);
});

test('what is further away is refused unstarted; another account or tool, and --ignore-hold, are not held', async ({
  rig,
}) => {
  rig.answer(() => failWith('codex', "You've hit your usage limit. Try again in 3 hours.", 429));
  const told = await ask(rig, 'told');
  rig.answer(hello);
  const held = await ask(rig, 'held');
  assert.equal([held.verdict.class, held.verdict.reason], ['quota', 'held']);
  assert.is(held.verdict.retry_at, told.verdict.retry_at);
  assert.match(held.said, /nothing was started\./);
  assert.ok(held.actions.some(({ command }) => command?.includes(' --ignore-hold')));
  assert.equal(begun(rig), ['codex']);
  assert.is((await ask(rig, 'account', OTHER_ACCOUNT)).code, 0);
  assert.is((await ask(rig, 'tool', { tool: 'claude' })).code, 0);
  assert.is((await ask(rig, 'still held')).verdict.reason, 'held');
  assert.is((await ask(rig, 'ignored', { flags: ['--ignore-hold'] })).code, 0);
  assert.is((await ask(rig, 'after a success')).code, 0);
  assert.equal(begun(rig), ['codex', 'codex', 'claude', 'codex', 'codex']);
});

test('where no time was given, one of four at once is let through, and its success lets the rest continue', async ({
  rig,
}) => {
  rig.answer(() => failWith('codex', "You've hit your usage limit.", 429));
  assert.is((await ask(rig, 'told')).verdict.retry_at, null);
  let release = () => {};
  const othersEnded = new Promise<void>((resolve) => {
    release = resolve;
  });
  rig.answer(async (call) => {
    await othersEnded;
    await call.tell(...hello(call));
  });
  let left = FOUR.length;
  const ends = await Promise.all(
    FOUR.map(async (name) => {
      const end = await ask(rig, name);
      left -= 1;
      if (left === 1) release();
      return end;
    }),
  );
  assert.equal(ends.map(({ verdict }) => verdict.reason).sort(), [...FOUR.slice(1).map(() => 'held'), null].sort());
  assert.is(begun(rig).length, 2);
  assert.is((await ask(rig, 'after')).code, 0);
});

test('what cannot be kept, as a folder is in the place of the file: the call ends as it did, and says so', async ({
  rig,
}) => {
  // A separator of sentences in the way itself.
  const state = path.join(rig.home, 'state; mine/tollgate');
  const inTheWay = path.join(state, 'limits/holds.json/x');
  mkdirSync(path.dirname(inTheWay), { recursive: true });
  writeFileSync(inTheWay, 'x');
  rig.answer(() => failWith('codex', "You've hit your usage limit. Try again in 3 hours.", 429));
  const { code, said, verdict } = await ask(rig, 'told', { env: { XDG_STATE_HOME: path.dirname(state) } });
  assert.equal([code, verdict.class, rig.calls.length], [12, 'quota', 1]);
  const [, why] = said.split(
    `${state}/limits could not record how this call ended, so other calls may pay to learn the same: `,
  );
  assert.match(why!, /^E.*state; mine\/tollgate\/limits/);
  assert.not.match(said, 'nothing was started');
  assert.is(readFileSync(inTheWay, 'utf8'), 'x');
});

test.run();
