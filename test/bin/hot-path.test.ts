// What a wrapper costs, in counts that no clock tells: what it loads, opens, looks at, writes, syncs and starts, and in what order.
// A ceiling that is passed has to be paid for: a reason beside it, and the figures of docs/figures.md measured again.

import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WRAPPER_EXIT } from '../../policies/facts/exit-codes.ts';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { PROJECT_FILES } from '../../state/project/project.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { bundlesOf, bytesOf, type CountedProcess, countIn, eventsOf } from '../rig/counted.ts';
import type { FakeCommand } from '../rig/fake-call.ts';
import { answerWith, failWith } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig; counted: () => CountedProcess[] }>('hot path');
test.before.each(async (context) => {
  const rig = await TestRig.open();
  Object.assign(context, { rig, counted: countIn(rig) });
});
test.after.each(({ rig }) => rig.dispose());

const SAID = 'Error: the server had an error while processing your request\n';

/** A wrapper that was run before, so that its code caches and what it keeps of its user are there. */
async function warm(
  { rig, counted }: { rig: TestRig; counted: () => CountedProcess[] },
  tool: (typeof TOOLS)[number],
  answer: () => readonly FakeCommand[],
): Promise<{ whole: CountedProcess; before: CountedProcess; code: number | null }> {
  rig.answer(answer);
  rig.write('ask.md', 'Say hello.');
  const flags = ['--prompt-file=ask.md', '--out=o', '--err=e', '--result=r'];
  const once = async () => (await rig.start(ADAPTERS[tool].command, flags).result).code;
  await once();
  counted();
  const code = await once();
  const [whole, ...others] = counted();
  assert.equal(others, []);
  const events = whole!.events.slice(
    0,
    whole!.events.findIndex(({ what }) => what === 'spawn'),
  );
  return { whole: whole!, before: { ...whole!, events }, code };
}

/** Of the call: not of the system, nor of the build. */
const OWN = /^(?!\/proc\/|\/sys\/|.*\/dist\/|.*\/tollgate\/code\/)/;

for (const tool of TOOLS) {
  const { command } = ADAPTERS[tool];

  test(`${command} starts its CLI before it has done anything that can wait`, async (context) => {
    const { before, code } = await warm(context, tool, () => answerWith(tool, 'ok'));
    assert.is(code, 0);
    atMost(before, [
      // What commands begin with, once; the rest of our code is another bundle.
      ['bytes evaluated', bytesOf(eventsOf(before, 'evaluate', /\/dist\//)), 1_048_576],
      // The prompt, the first bytes of the CLI and its package; the folders that the user trusts; the register, the overlay, the prompt's copy; its three descriptors, two of them to be read.
      ['files opened', eventsOf(before, 'open', OWN).length, 13],
      ['files written', eventsOf(before, 'write', OWN).length, 3],
      // Nothing that protects money: a call without a task has no journal.
      ['files synced', eventsOf(before, 'sync').length, 0],
      // Each output for its kind, its room, and whether it is another's; one folder's surroundings once; a prefix of the project.
      ['looks at files of the project', eventsOf(before, 'look', /\/project(?:\/|$)|^[\w.]+$/).length, LOOKS],
    ]);
    assert.equal(bundlesOf(before), [`${command}.cjs`, 'core.cjs']);
    // Each other part of Node takes up to 2 ms to load: node:net by itself, node:stream, node:zlib.
    const parts = new Set(eventsOf(before, 'builtin').map(({ file }) => file));
    assert.equal(
      [...parts].filter((part) => !BEFORE_THE_CLI.includes(part)),
      [],
    );
  });

  test(`a success of ${command} reads, writes and syncs nothing twice`, async (context) => {
    const { whole } = await warm(context, tool, () => answerWith(tool, 'ok'));
    assert.equal(bundlesOf(whole), bundlesOfSuccess(tool));
    atMost(whole, [
      ['processes started', eventsOf(whole, 'spawn').length, 1],
      ['waits for Node to end', eventsOf(whole, 'drain').length, 0],
      // The answer and the record: what the caller is told is there.
      ['files synced', eventsOf(whole, 'sync').length, 2],
      ['the prompt read', readsOf(whole, /ask\.md$/), 1],
      ['the prompt written', eventsOf(whole, 'write', /\/prompt$/).length, 1],
      // Followed as it grows, and published.
      ['passes over the event stream', readsOf(whole, /\/stdout$/), 2],
      // Where it is called, and once more with the process of its CLI.
      ['entries of the register written', eventsOf(whole, 'write', /\/calls\//).length, 2],
    ]);
  });

  test(`${command} without limits looks where some may be, and loads, opens and writes nothing for them`, async (context) => {
    const { whole } = await warm(context, tool, () => answerWith(tool, 'ok'));
    const LIMITS = /\/limits(?:\/|$)|\/tollgate\.ya?ml$/;
    const seen = (what: Parameters<typeof eventsOf>[1]) =>
      eventsOf(whole, what, LIMITS).map(({ file }) => path.basename(file));
    // The project's file is looked for twice: for a prefix, and for limits.
    assert.equal(
      [seen('look').sort(), seen('open'), seen('write'), seen('sync')],
      [['holds.json', 'limits', 'limits.json', ...PROJECT_FILES, ...PROJECT_FILES].sort(), [], [], []],
    );
    assert.equal(bundlesOf(whole), bundlesOfSuccess(tool));
  });

  test(`a failure of ${command} loads what classifies it while its CLI runs, in one bundle`, async (context) => {
    const told = { do: 'write', to: 'stderr', text: SAID } as const;
    const { whole, before, code } = await warm(context, tool, () => [told, ...failWith(tool, SAID, 500)]);
    assert.is.not(code, 0);
    assert.equal(bundlesOf(before), [`${command}.cjs`, 'core.cjs']);
    assert.equal(bundlesOf(whole), [`${command}.cjs`, 'core.cjs', 'ours.cjs']);
    atMost(whole, [
      ['processes started', eventsOf(whole, 'spawn').length, 1],
      ['waits for Node to end', eventsOf(whole, 'drain').length, 0],
      // The record; there is no answer.
      ['files synced', eventsOf(whole, 'sync').length, 1],
      // The log of API failures tells the last events.
      ['passes over the event stream', readsOf(whole, /\/stdout$/), 3],
      ['passes over stderr', readsOf(whole, /\/stderr$/), 2],
    ]);
  });
}

test('a one-line call that ends well loads one bundle', async ({ rig, counted }) => {
  rig.answer(() => answerWith('codex', 'ok'));
  const { code } = await rig.start('tollgate', ['call', 'codex', 'Say hello.']).result;
  assert.is(code, 0);
  assert.equal(bundlesOf(counted()[0]!), ['tollgate.cjs', 'core.cjs']);
});

test('a call that finds out whether a limit still stands writes that down, and stands still for no disk', async (context) => {
  const { whole, code } = await warm(context, 'gemini', () =>
    failWith('gemini', 'You exceeded your current quota', 429),
  );
  assert.is(code, WRAPPER_EXIT.gemini.failure);
  const seen = (what: Parameters<typeof eventsOf>[1]) =>
    eventsOf(whole, what, /\/limits\/\.holds/).map(({ file }) => path.basename(file).replace(/\.\d+-\d+$/, ''));
  // That it asks for all others, and what it was told.
  assert.equal([seen('write'), seen('sync')], [['.holds.json', '.holds.json'], []]);
});

/** With the files of settings and servers that claude and gemini would ignore, here and in the folders above. */
const LOOKS = 50;

/** While copilot runs, the file of its session is found: it alone says that an answer was cut. */
const bundlesOfSuccess = (tool: BuiltIn): string[] => [
  `${ADAPTERS[tool].command}.cjs`,
  'core.cjs',
  ...(tool === 'copilot' ? ['ours.cjs'] : []),
];

const BEFORE_THE_CLI = [
  ...['fs', 'fs/promises', 'path', 'os', 'url', 'util', 'vm', 'module'],
  ...['child_process', 'timers/promises', 'string_decoder', 'crypto'],
  // Loaded by Node itself as it begins.
  'buffer',
];

/** Reads that gave something. */
const readsOf = (counted: CountedProcess, of: RegExp): number =>
  eventsOf(counted, 'read', of).filter(({ bytes = 0 }) => bytes > 0).length;

function atMost({ script }: CountedProcess, counts: readonly (readonly [what: string, count: number, most: number])[]) {
  for (const [what, count, most] of counts) assert.ok(count <= most, `${script}: ${what}: ${count}, at most ${most}`);
}

test.run();
