// The requests of a call are counted in the file of its session, from the time of the call to a last line without an end.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EngineEvent } from '../../../policies/facts/engine-event.ts';
import { followUsage } from '../../../wrappers/following/usage-log.ts';

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
  const counts = followUsage({ log: { createReader }, since: SINCE, sessionId, find }, take, () => {});
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

test.run();
