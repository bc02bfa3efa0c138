// tollgate distill as it is typed, against a service on the loopback.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NextAction } from '../../../../policies/facts/next-action.ts';
import { type DocumentApi, startDocumentApi } from '../../../rig/document-api.ts';
import { faultEnv, faultShim } from '../../../rig/fault-shim.ts';
import type { FaultName } from '../../../rig/model-api/documents/faults.ts';
import { TestRig } from '../../../rig/test-rig.ts';

interface World {
  rig: TestRig;
  api: DocumentApi;
}

const KEY = 'test-key-of-the-loopback-service';
const test = suite<World>('tollgate distill');

test.before.each(async (world) => {
  world.rig = await TestRig.open({ tools: [] });
  world.api = await startDocumentApi({ key: KEY, looks: -1 });
  Object.assign(world.rig.env, { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: world.api.url });
  mkdirSync(path.join(world.rig.project, '.git'));
  world.rig.write('republic.txt', 'The Republic, by Plato.\n');
  world.rig.write('distil.md', 'Distil this book.\n');
});
test.after.each(async ({ rig, api }) => {
  await api.close();
  await rig.dispose();
});

/** The model is named, since the one that is taken unless told ends on a day. */
const BEGIN = ['distill', 'republic.txt', '--prompt', 'distil.md', '--model', 'gemini-2.5-pro'];
const place = (rig: TestRig, file = '') => path.join(rig.project, '.tmp/distill/republic', file);
const objectIn = (text: string) => JSON.parse(text) as Record<string, unknown>;
const status = async (rig: TestRig) => {
  const { stdout } = await rig.run('tollgate', ['distill', 'status', 'republic', '--json']);
  return (objectIn(stdout).distillations as Record<string, unknown>[])[0]!;
};

test('a book is distilled to its end; --json prints a line each, and the whole as the last', async ({ rig, api }) => {
  const ran = await rig.start('tollgate', [...BEGIN, '--json', '--temperature', '0.5', '--out', 'out']).result;
  assert.is(ran.code, 0, ran.stderr);
  const lines = ran.stdout.trim().split('\n').map(objectIn);
  const told = lines
    .map(({ event }) => event)
    .filter((event) => !['uploading', 'processing', 'noted'].includes(String(event)));
  assert.equal(told, [
    'begun',
    'uploaded',
    ...['asking', 'answered', 'asking', 'answered', 'asking', 'answered'],
    'ended',
  ]);
  const { event, exit_code, state, sections, next_actions } = lines.at(-1)!;
  assert.is((next_actions as NextAction[])[0]!.command, 'tollgate distill export republic');
  assert.equal([event, exit_code, state, sections], ['ended', 0, 'complete', 3]);
  assert.is(api.paid().length, 3);
  const { body } = api.paid()[2]! as unknown as { body: Record<string, unknown> };
  assert.equal(body.tools, []);
  assert.equal((body.generationConfig as { temperature: number }).temperature, 0.5);
  assert.match(JSON.stringify(body.systemInstruction), /Distil this book/);
  assert.ok(existsSync(path.join(rig.project, 'out/republic.md')));
  const again = await rig.run('tollgate', BEGIN);
  assert.is(again.code, 0);
  assert.is(api.paid().length, 3, 'what is complete is not paid again');
});

test('without --prompt the default prompt is sent, with the end marker of this run; naming it again is not needed', async ({
  rig,
  api,
}) => {
  const [command, book] = BEGIN as [string, string];
  const model = ['--model', 'gemini-2.5-pro'];
  const ran = await rig.run('tollgate', [command, book, ...model, '--end-marker', '<end_of_book>']);
  assert.is(ran.code, 0, ran.stderr);
  const { body } = api.paid()[0]! as unknown as { body: Record<string, unknown> };
  assert.match(JSON.stringify(body.systemInstruction), /You distil a book .*with `<end_of_book>`/s);
  assert.match(readFileSync(place(rig, 'prompt.md'), 'utf8'), /^You distil a book/);
  assert.is((await rig.run('tollgate', [command, book, ...model])).code, 0);
  assert.is(api.paid().length, 3, 'what is complete is not paid again');
  const exported = await rig.run('tollgate', ['distill', 'export', 'republic', '--json']);
  assert.match(readFileSync(objectIn(exported.stdout).file as string, 'utf8'), 'prompt: "default"');
});

test('a default prompt names the end marker of its run', async ({ rig, api }) => {
  api.script('ask', ['no-text']);
  await rig.run('tollgate', [
    'distill',
    'republic.txt',
    '--model',
    'gemini-2.5-pro',
    '--end-marker',
    '[THE END]',
    '--max-calls',
    '1',
  ]);
  assert.match(readFileSync(place(rig, 'prompt.md'), 'utf8'), /with `\[THE END\]`/);
  assert.is((await status(rig)).state, 'paused (empty/short)');
});

test('on stderr people read the sections, a retry with its attempt and countdown, and the end', async ({
  rig,
  api,
}) => {
  api.script('ask', [null, '429-retry-info']);
  const ran = await rig.run('tollgate', BEGIN);
  assert.is(ran.code, 0, ran.stderr);
  assert.match(ran.stderr, /^tollgate: republic: begins with gemini-2\.5-pro$/m);
  assert.match(ran.stderr, /^tollgate: section 1: .+ \(\d+ tokens\)$/m);
  assert.match(ran.stderr, /^tollgate: HTTP 429: You exceeded .+; attempt 2 in \d+ s$/m);
  assert.match(ran.stdout, /^republic: complete\n {2}3 sections; \d+ tokens; \$0\.\d{4}; 3 of 2000 paid calls$/m);
});

for (const [what, argv, env, said] of [
  ['no key', BEGIN, { GEMINI_API_KEY: '' }, /GEMINI_API_KEY is not set/],
  ['a prompt that is not there', [...BEGIN.slice(0, 3), 'none.md'], {}, /the prompt cannot be read: .*none\.md/],
  ['a book that is not there', ['distill', 'none.pdf', ...BEGIN.slice(2)], {}, /none\.pdf is not there/],
  ['what is not a book', ['distill', 'empty.pdf', ...BEGIN.slice(2)], {}, /empty\.pdf is empty/],
  ['a temperature that is none', [...BEGIN, '--temperature', 'warm'], {}, /--temperature takes a number from 0 to 2/],
  ['a check that is none', [...BEGIN, '--no-check', 'loops'], {}, /--no-check takes one of refusal, short, loop/],
  [
    'an end marker that is blank',
    [...BEGIN, '--end-marker', ' '],
    {},
    /--end-marker takes what .* a blank one ends nothing/,
  ],
  ['a wait that is none', [...BEGIN, '--auto-wait', 'soon'], {}, /--auto-wait takes a duration/],
  ['a name that is a path', [...BEGIN, '--name', '../x'], {}, /"\.\.\/x" is not a name of a distillation/],
  ['a run that is not there', ['distill', 'resume', 'none'], {}, /there is no distillation "none"/],
  ['a word that was mistyped', ['distill', 'stauts'], {}, /no file stauts; did you mean tollgate distill status\?/],
] as const)
  test(`exit 2, and nothing is asked or written: ${what}`, async ({ rig, api }) => {
    rig.write('empty.pdf', '');
    const ran = await rig.run('tollgate', [...argv], { env });
    assert.is(ran.code, 2, ran.stderr);
    assert.match(ran.stderr, said);
    assert.is(api.requests().length, 0);
    assert.not(existsSync(path.join(rig.project, '.tmp')));
  });

test('a wrong key pauses with what the service said, and stands nowhere', async ({ rig, api }) => {
  const ran = await rig.run('tollgate', BEGIN, { env: { GEMINI_API_KEY: 'another-key-that-is-wrong' } });
  assert.is(ran.code, 1);
  assert.match(ran.stderr, /republic: paused \(error\): HTTP 400: API key not valid/);
  assert.is(api.paid().length, 0);
  const files = readdirSync(place(rig), { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  for (const { parentPath, name } of files)
    assert.not.match(readFileSync(path.join(parentPath, name), 'utf8'), /another-key/, name);
  assert.not.match(ran.stderr, /another-key/);
});

for (const [fault, reason] of [
  ['refusal', 'refusal'],
  ['short', 'short'],
  ['max-tokens', 'finish_reason'],
  ['blocked', 'finish_reason'],
  ['control-tokens', 'control_tokens'],
  ['other-version', 'model_changed'],
  ['429-long', 'reset'],
  ['no-model', 'error'],
] as const satisfies (readonly [FaultName, string])[])
  test(`paused, and resumed: ${fault}`, async ({ rig, api }) => {
    api.script('ask', [null, fault]);
    const ran = await rig.run('tollgate', BEGIN);
    assert.is(ran.code, 1, ran.stderr);
    const shown = await status(rig);
    assert.is(shown.reason, reason);
    assert.match(ran.stderr, / {2}next: .*tollgate distill resume republic/);
    const resumed = await rig.run('tollgate', ['distill', 'resume', 'republic', '--no-check', 'model-changed']);
    assert.is(resumed.code, 0, resumed.stderr);
    assert.is((await status(rig)).sections, 3);
  });

/** The second answer comes when the test says so. */
async function held(world: World): Promise<{ release: () => void }> {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  await world.api.close();
  world.api = await startDocumentApi({
    key: KEY,
    looks: -1,
    wait: (request) => (request.turn?.section === 2 ? until : null),
  });
  world.rig.env.GOOGLE_GEMINI_BASE_URL = world.api.url;
  return { release };
}

test('pause from another terminal: the answer in flight is kept, and the run is resumed', async (world) => {
  const { rig } = world;
  const { release } = await held(world);
  const running = rig.start('tollgate', BEGIN);
  await running.says(/section 1:/);
  await world.api.asked(2);
  const refused = await rig.run('tollgate', BEGIN);
  assert.is(refused.code, 1);
  assert.match(refused.stderr, /another process \(pid \d+ on .+\) drives the distillation republic now/);
  assert.is((await status(rig)).state, 'running');
  const told = await rig.run('tollgate', ['distill', 'pause', 'republic']);
  assert.is(told.stdout, 'republic has the request: it pauses once the answer in flight is there\n');
  release();
  const ran = await running.result;
  assert.is(ran.code, 1);
  assert.match(ran.stderr, /republic: paused \(as you asked\)/);
  assert.is((await status(rig)).sections, 2);
  assert.is((await rig.run('tollgate', ['distill', 'resume', 'republic'])).code, 0);
  assert.is(world.api.paid().length, 3);
});

test('Ctrl-C waits for the answer in flight, and a second run continues', async (world) => {
  const { rig } = world;
  const { release } = await held(world);
  const running = rig.start('tollgate', BEGIN);
  await running.says(/section 1:/);
  await world.api.asked(2);
  running.signal('SIGINT');
  await running.says(/the answer in flight is paid for, so it is awaited/);
  release();
  assert.is((await running.result).code, 130);
  assert.is((await status(rig)).sections, 2);
  assert.is((await rig.run('tollgate', BEGIN)).code, 0);
  assert.is(world.api.paid().length, 3);
});

for (const signal of ['SIGTERM', 'SIGKILL', 'SIGINT'] as const)
  test(`${signal}${signal === 'SIGINT' ? ' twice' : ''} in the middle of a turn: it is recorded as lost and asked once more, what was accepted is not`, async (world) => {
    const { rig } = world;
    const { release } = await held(world);
    const running = rig.start('tollgate', BEGIN);
    await running.says(/section 1:/);
    await world.api.asked(2);
    running.signal(signal);
    if (signal === 'SIGINT') {
      await running.says(/a second signal ends at once/);
      running.signal(signal);
    }
    assert.is((await running.result).code, { SIGTERM: 143, SIGINT: 130, SIGKILL: null }[signal]);
    release();
    const ran = await rig.run('tollgate', BEGIN);
    assert.is(ran.code, 0, ran.stderr);
    const asked = world.api.requests('ask').map(({ turn }) => turn!.section);
    assert.equal(asked, [1, 2, 2, 3]);
    assert.equal((await status(rig)).calls, { used: 4, total: 2000 });
    if (signal === 'SIGKILL') assert.match(ran.stderr, /section 2 was in flight when its process ended/);
  });

test('sections lists them, delete-section takes one out and asks for it again', async ({ rig, api }) => {
  await rig.run('tollgate', BEGIN);
  const before = readFileSync(place(rig, 'republic.md'), 'utf8');
  const listed = await rig.run('tollgate', ['distill', 'sections', 'republic']);
  assert.match(listed.stdout, /^SECTION +TITLE .*\n1 /);
  const { stdout } = await rig.run('tollgate', ['distill', 'sections', 'republic', '--json']);
  const [first] = objectIn(stdout).sections as Record<string, unknown>[];
  assert.equal([first!.section, first!.model_version, first!.ends], [1, 'gemini-2.5-pro', false]);
  const gone = await rig.run('tollgate', ['distill', 'delete-section', 'republic', '2', '--ask-again']);
  assert.is(gone.stdout, 'section 2 is deleted; tollgate distill resume republic asks for it again\n');
  const exported = await rig.run('tollgate', ['distill', 'export', 'republic', '--quiet', '--json']);
  assert.equal(JSON.parse(exported.stdout).notes, [
    'omitted: section 2, which tollgate distill resume republic requests again',
  ]);
  assert.ok(readFileSync(place(rig, 'republic.md'), 'utf8').length < before.length);
  assert.equal((await status(rig)).wanted, [2]);
  assert.is((await rig.run('tollgate', ['distill', 'delete-section', 'republic', '9'])).code, 2);
  assert.is((await rig.run('tollgate', ['distill', 'resume', 'republic'])).code, 0);
  assert.is(api.requests('ask').length, 4);
  assert.is(api.requests('ask').at(-1)!.turn!.section, 2);
  assert.is((await status(rig)).state, 'complete');
});

test('an answer that is held outlasts a section that is deleted; --accept with none held is exit 2', async ({
  rig,
  api,
}) => {
  api.script('ask', [null, 'refusal']);
  await rig.run('tollgate', BEGIN);
  await rig.run('tollgate', ['distill', 'delete-section', 'republic', '1']);
  assert.is((await status(rig)).held_section, 2);
  const kept = await rig.run('tollgate', ['distill', 'resume', 'republic', '--accept']);
  assert.is(kept.code, 0, kept.stderr);
  const { stdout } = await rig.run('tollgate', ['distill', 'sections', 'republic', '--json']);
  const [first] = objectIn(stdout).sections as Record<string, unknown>[];
  assert.equal([first!.section, first!.turn], [2, 2], 'it is of the book, and is not asked for again');
  const none = await rig.run('tollgate', ['distill', 'resume', 'republic', '--accept']);
  assert.is(none.code, 2);
  assert.match(none.stderr, /no answer of republic is held/);
});

test('pause and stop of what is at rest', async ({ rig, api }) => {
  api.script('ask', [null, 'refusal']);
  await rig.run('tollgate', BEGIN);
  const paused = await rig.run('tollgate', ['distill', 'pause', 'republic']);
  assert.is(paused.stdout, 'republic is not running; it is paused (refusal)\n');
  const stopped = await rig.run('tollgate', ['distill', 'stop', 'republic', '--json']);
  assert.is(objectIn(stopped.stdout).state, 'stopped');
  const before = await rig.run('tollgate', ['distill', '--json', 'pause', 'republic']);
  assert.equal([before.code, objectIn(before.stdout).name], [0, 'republic'], before.stderr);
});

if (faultShim() !== null)
  test('a disk that is full before a call can be reserved: exit 1, and nothing is asked', async ({ rig, api }) => {
    const under = place(rig, 'state');
    mkdirSync(under, { recursive: true });
    const full = faultEnv({ in: 'tollgate.cjs', under, at: 1, times: 0, does: 'ENOSPC' });
    const refused = await rig.run('tollgate', BEGIN, { env: full });
    assert.is(refused.code, 1, refused.stderr);
    assert.match(refused.stderr, /ENOSPC/);
    assert.is(api.paid().length, 0);
    assert.is((await rig.run('tollgate', BEGIN)).code, 0);
  });

test('a checkpoint that is none is left where it is, and told', async ({ rig }) => {
  await rig.run('tollgate', BEGIN);
  writeFileSync(place(rig, 'run.json'), '{"schema": 1}');
  const ran = await rig.run('tollgate', BEGIN);
  assert.is(ran.code, 2);
  assert.match(ran.stderr, /run\.json: "name" must be a text; fix it/);
});

test.run();
