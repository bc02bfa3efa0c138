// The tests of one CLI of the catalogue: the scenarios of the built-in ones, and a session that continues.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ErrorClass } from '../../../policies/facts/classes.ts';
import { startModelApi } from '../../rig/model-api.ts';
import { callInScenario, callOnce, catalogueRows, EXITS, openHome, type Seen } from './catalogue-calls.ts';
import type { CatalogueCli, MatrixRow } from './rows.ts';

export interface Expected {
  class: ErrorClass | null;
  exit: keyof typeof EXITS;
  requests: number;
  pieces: number;
}

function expectedOf(row: MatrixRow, difference: Partial<Expected> | undefined): Expected {
  const pick = <T>(value: T | { codex: T }): T =>
    typeof value === 'object' && value !== null ? (value as { codex: T }).codex : (value as T);
  const errorClass = pick(row.class);
  const exit = pick(row.exit ?? (errorClass === null ? 'ok' : 'failure')) as Expected['exit'];
  return { class: errorClass, exit, requests: pick(row.requests), pieces: 1, ...difference };
}

/** Two at once, as in the matrix of the built-in ones. */
const LANES = 2;

/** @param differences from what codex makes of a scenario, each with its reason. */
export async function testCatalogueCli(
  cli: CatalogueCli,
  differences: Readonly<Record<string, Partial<Expected>>>,
): Promise<{ run(): void }> {
  const test = suite(`${cli} of the catalogue`);
  const api = await startModelApi({ lifeMs: 3_600_000 });
  const seenIn = new Map<MatrixRow, Seen>();
  const rows = catalogueRows(cli);
  const left = [...rows];
  const lane = async () => {
    for (let row = left.shift(); row !== undefined; row = left.shift())
      seenIn.set(row, await callInScenario(cli, row, api));
  };
  await Promise.all(Array.from({ length: LANES }, lane));

  for (const [row, seen] of seenIn)
    test(row.name, () => {
      const expected = expectedOf(row, differences[row.name]);
      assert.equal(
        [seen.exit, seen.class, seen.survivors],
        [EXITS[expected.exit], expected.class, 0],
        `${JSON.stringify(seen)} is not ${JSON.stringify(expected)}`,
      );
      assert.ok(seen.requests <= expected.requests, `${seen.requests} requests, at most ${expected.requests}`);
      const bare = (text: string) => text.replaceAll(/\s/g, '');
      if (expected.class === null) assert.is(bare(seen.answer ?? ''), bare(seen.said.repeat(expected.pieces)));
      else assert.not.ok(seen.answer, 'a failure published an answer');
    });

  test('every difference is about a scenario', () => {
    const names = rows.map(({ name }) => name);
    assert.equal(
      Object.keys(differences).filter((name) => !names.includes(name)),
      [],
    );
  });

  test('it continues in the session that it named', async () => {
    const home = await openHome(cli, api.url('ok', 'again'));
    try {
      const ask = async (...flags: string[]) => {
        const { running, record } = await callOnce(home, cli, ['--access=read', ...flags], 'Say hello.\n');
        const { code, stderr } = await running.result;
        assert.is(code, 0, stderr);
        return record()!;
      };
      const first = await ask();
      const then = await ask(`--resume-session=${first.session_id}`);
      assert.ok(first.session_id !== null);
      assert.equal([then.session_id, api.paid('again').length, home.survivors()], [first.session_id, 2, []]);
      assert.equal([...first.warnings, ...then.warnings], []);
      assert.ok(first.usage.total_tokens! > 0);
    } finally {
      await home.dispose();
    }
  });
  test.after(() => api.close());
  return test;
}
