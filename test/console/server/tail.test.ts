// The live log of a running task: its end and what is added, without secrets, bounded; begun again, deleted, unknown.

import { appendFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TailTold } from '../../../console/contract/task.ts';
import type { ServedProject } from '../../../console/server/project.ts';
import { streamTail } from '../../../console/server/tail.ts';
import { lastEvent } from '../../../loops/task/last-event.ts';
import { locateTask } from '../../../state/task-folder.ts';
import { openConsoleOf } from '../../rig/console-client.ts';
import { SESSION, STREAMS, write } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const TOKEN = `ghp_${'aB3dE5gH7jK9'.repeat(3)}`;
const MIB = 1024 * 1024;
const { opens, says } = STREAMS.codex;

const runs = (command: string) => [
  JSON.stringify({
    type: 'item.started',
    item: { id: 'item_2', type: 'command_execution', command, aggregated_output: '', status: 'in_progress' },
  }),
];

interface Told {
  all: TailTold[];
  next(fits: (told: TailTold) => boolean): Promise<TailTold>;
  ended: Promise<void>;
  stop: AbortController;
}

const test = suite<{ rig: TestRig }>('live log');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

function tailOf(rig: TestRig): Told {
  const environment = { ...process.env, HOME: rig.home, XDG_STATE_HOME: '' };
  const project = { cwd: rig.project, environment, clock: () => new Date() } as unknown as ServedProject;
  const located = locateTask('fix', rig.project, environment);
  if (located.how === 'invalid') throw new Error(located.message);
  const all: TailTold[] = [];
  const waiting = new Set<() => void>();
  const stop = new AbortController();
  const ended = streamTail(located.folder, project, stop.signal, (told) => {
    all.push(told);
    for (const wake of waiting) wake();
  });
  const next = (fits: (told: TailTold) => boolean): Promise<TailTold> =>
    new Promise((resolve) => {
      const look = () => {
        const found = all.find(fits);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return { all, next, ended, stop };
}

const hasLine = (text: string) => (told: TailTold) =>
  told.of === 'lines' && told.lines.some((line) => line.includes(text));

/** A run whose CLI has said one line, and the file of its events. */
async function begun(rig: TestRig) {
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  const running = task.start();
  const call = await rig.call();
  await call.tell(write([...opens(SESSION), ...says('the first line')]));
  const root = path.join(rig.project, '.tmp/task/fix');
  const attempts = path.join(root, 'state/attempts');
  const [id] = readdirSync(attempts);
  const end = async () => {
    running.signal('SIGINT');
    await running.result;
  };
  return { call, root, events: path.join(attempts, id!, 'stdout'), end };
}

test('what is there and what is added, with the command of the tool, and without secrets', async ({ rig }) => {
  const { call, end } = await begun(rig);
  const tail = tailOf(rig);
  await tail.next(hasLine('the first line'));
  const [head] = tail.all;
  assert.equal([head!.of, head!.of === 'call' && head!.stage], ['call', 'codex_brief']);
  const heard = tail.all.flatMap((each) => (each.of === 'lines' ? [each] : []));
  assert.ok(
    heard.every(({ at }) => at !== null && Date.parse(at) <= Date.now()),
    'when the CLI last wrote is told',
  );
  assert.not(JSON.stringify(heard).includes(SESSION), 'the id of the session is not of the log');
  await call.tell(write([...says(`a key ${TOKEN} of mine`), ...says('y'.repeat(5000)), ...runs(`npm test ${TOKEN}`)]));
  const told = await tail.next(hasLine('a key'));
  assert.ok(!JSON.stringify(tail.all).includes('ghp_'));
  assert.ok(told.of === 'lines' && told.lines.every((line) => line.length <= 2002));
  const doing = await tail.next(({ of, ...rest }) => of === 'lines' && /npm test/.test(JSON.stringify(rest)));
  assert.match(doing.of === 'lines' ? doing.doing! : '', /^runs .*npm test \[REDACTED/);
  await end();
  await tail.ended;
  assert.equal(tail.all.at(-1), { of: 'end', why: 'The run has ended.' });
});

test('a tool that only its begin names is named when it has ended', async ({ rig }) => {
  const events = path.join(rig.root, 'events');
  const [used, gave] = [
    { type: 'tool_use', tool_name: 'read_file', tool_id: 'one', parameters: {} },
    { type: 'tool_result', tool_id: 'one', status: 'success', output: '' },
  ];
  const other = { ...used, tool_name: 'list_files', tool_id: 'two' };
  writeFileSync(events, [used, other, gave].map((line) => `${JSON.stringify(line)}\n`).join(''));
  assert.is(lastEvent({ stage: 's', tool: 'gemini', events }), 'ran read_file');
  writeFileSync(events, `${JSON.stringify(gave)}\n`);
  assert.is(lastEvent({ stage: 's', tool: 'gemini', events }), 'ran a tool');
});

test('of a log of 500 MB only the end is read; one that begins again is shown anew', async ({ rig }) => {
  const { events, end } = await begun(rig);
  truncateSync(events, 500 * MIB);
  appendFileSync(events, `\n${says('the last line').join('\n')}\n`);
  const before = process.memoryUsage().rss;
  const tail = tailOf(rig);
  const told = await tail.next(hasLine('the last line'));
  assert.ok(told.of === 'lines' && told.left_out > 499 * MIB, 'most of it is left out, and that is said');
  assert.ok(process.memoryUsage().rss - before < 100 * MIB);
  writeFileSync(events, `${says('from the start').join('\n')}\n`);
  const again = await tail.next(hasLine('from the start'));
  assert.is(again.of === 'lines' && again.began_again, true);
  tail.stop.abort();
  await tail.ended;
  assert.ok(tail.all.every(({ of }) => of !== 'end'));
  await end();
});

test('a flood is told in parts of bounded size', async ({ rig }) => {
  const { events, end } = await begun(rig);
  const tail = tailOf(rig);
  await tail.next(hasLine('the first line'));
  const line = says('z'.repeat(200)).join('');
  for (let n = 0; n < 20; n += 1) appendFileSync(events, `${line}\n`.repeat(1000));
  appendFileSync(events, `${says('after the flood').join('\n')}\n`);
  await tail.next(hasLine('after the flood'));
  assert.ok(tail.all.some((told) => told.of === 'lines' && told.left_out > MIB));
  assert.ok(tail.all.every((told) => JSON.stringify(told).length < 200 * 1024));
  tail.stop.abort();
  await tail.ended;
  await end();
});

test('a task that is deleted meanwhile ends it, and says so', async ({ rig }) => {
  const { root, end } = await begun(rig);
  const tail = tailOf(rig);
  await tail.next(hasLine('the first line'));
  rmSync(root, { recursive: true, force: true });
  await tail.ended;
  assert.equal(tail.all.at(-1), { of: 'end', why: 'The task was deleted, archived or renamed.' });
  await end();
});

test('a task whose folder is still there, while the rest of it is deleted, is not one that has ended', async ({
  rig,
}) => {
  const { root, end } = await begun(rig);
  const tail = tailOf(rig);
  await tail.next(hasLine('the first line'));
  rmSync(path.join(root, 'state'), { recursive: true, force: true });
  await tail.ended;
  assert.equal(tail.all.at(-1), { of: 'end', why: 'The task was deleted, archived or renamed.' });
  await end();
});

test('one that does not exist is refused', async ({ rig }) => {
  const page = await openConsoleOf(rig);
  for (const id of ['none', '..', 'a%2Fb', '%2e%2e'])
    assert.is.not((await page.get(`/api/tasks/${id}/tail`)).status, 200, id);
  assert.is((await page.get('/api/tasks/none/tail')).status, 404);
  page.command.signal('SIGINT');
  await page.command.result;
});

test.run();
