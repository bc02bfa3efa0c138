// The requests of a call are counted in the file of its session, from the time of the call to a last line without an end.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EngineEvent } from '../../../policies/facts/engine-event.ts';
import { followSessions } from '../../../wrappers/following/usage-log.ts';

const test = suite<{ folder: string }>('usage log');
test.before.each((context) => {
  context.folder = mkdtempSync(path.join(tmpdir(), 'usage-log-'));
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

const SINCE = new Date('2026-01-01T00:00:00.000Z');

/** Follows the session file in the folder, whose lines are the words of warnings, until it is read whole. */
async function wordsIn(folder: string, sessionId: string | null, named: string): Promise<string[]> {
  const words: string[] = [];
  const take = (events: readonly EngineEvent[]) => {
    for (const event of events) if (event.how === 'warned') words.push(event.message);
  };
  const createReader = (since: Date) => (message: string) => [
    { how: 'warned', message: `${message} since ${since.getTime()}` } as const,
  ];
  const find = async (id: string) => (id === 'ours' ? path.join(folder, 'session') : null);
  const source = { log: { createReader }, since: SINCE, when: 'at_once', sessionId, find } as const;
  const counts = followSessions(source, take, () => {});
  counts.named(named);
  await counts.seek();
  counts.finish();
  counts.close();
  return words;
}

test('the file of a session that the CLI names is read whole', async ({ folder }) => {
  writeFileSync(path.join(folder, 'session'), 'one\ntwo');
  const since = `since ${SINCE.getTime()}`;
  assert.equal(await wordsIn(folder, null, 'ours'), [`one ${since}`, `two ${since}`]);
  assert.equal(await wordsIn(folder, 'ours', 'another'), []);
});

test('without a cap, files are read only once there is a sub-agent: its own, and that of its call', async ({
  folder,
}) => {
  writeFileSync(path.join(folder, 'ours'), '3\n4\n');
  writeFileSync(path.join(folder, 'sub'), '4\n5\n6\ndone\n');
  const find = async (id: string) => path.join(folder, id);
  const createReader = () => (line: string) => {
    const used = { model: null, input_tokens: Number(line), cached_tokens: 0, output_tokens: 1 };
    return [{ how: 'spent', request: line, used } as const];
  };
  // A sub-agent's file may begin with requests of its call, here `4`.
  const createAgentReader = (_: Date, id: string) => (line: string) =>
    line === 'done' ? [{ how: 'sub_agent', id, state: 'done' } as const] : createReader()(line);
  const log = { createReader, createAgentReader };
  const taken: EngineEvent[] = [];
  const source = { log, since: SINCE, when: 'if_sub_agents', sessionId: null, find } as const;
  const counts = followSessions(
    source,
    (events) => {
      taken.push(...events);
    },
    () => {},
  );
  counts.named('ours');
  await counts.seek();
  assert.equal([taken, counts.ofAgents()], [[], null]);
  for (const id of ['sub', 'sub']) counts.joined(id);
  await counts.seek();
  counts.finish();
  counts.close();
  const total = { input_tokens: 11, cached_tokens: 0, output_tokens: 2, total_tokens: 13 };
  assert.equal(counts.ofAgents(), total);
  assert.equal([taken.length, taken.at(-1)], [6, { how: 'sub_agent', id: 'sub', state: 'done' }]);
});

test.run();
