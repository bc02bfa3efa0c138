// Tests the captures: each is complete, replayable, small, and free of traces of the machine that recorded it.

import { readdirSync, readFileSync } from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TOOLS } from '../../policies/facts/tools.ts';
import { catalogueRows } from '../real/matrix/catalogue-calls.ts';
import { callsOf, isInSuite, matrixRows } from '../real/matrix/rows.ts';
import { recordedCases } from './record/cases.ts';

const CAPTURES = path.resolve(import.meta.dirname, '../captures');
const MAX_BYTES = 250_000;

for (const tool of TOOLS) {
  const recorded = readdirSync(path.join(CAPTURES, tool)).sort();

  test(`${tool} has a capture for each recorded case and no other`, () => {
    assert.equal(
      recorded,
      recordedCases(tool)
        .map((one) => one.name)
        .sort(),
    );
  });

  for (const name of recorded) {
    test(`${tool}/${name}`, () => {
      const folder = path.join(CAPTURES, tool, name);
      const [stdout, stderr, metaText] = ['stdout', 'stderr', 'meta.json'].map((file) =>
        readFileSync(path.join(folder, file), 'utf8'),
      ) as [string, string, string];
      const meta = JSON.parse(metaText);
      assert.is(meta.tool, tool);
      assert.match(meta.version, /^\d+\.\d+\.\d+$/);
      assert.ok(meta.killed || meta.signal !== null || Number.isInteger(meta.exit_code), 'says how it ended');
      assert.type(meta.requests, 'number');
      assert.ok(stdout.length + stderr.length < MAX_BYTES, `${stdout.length + stderr.length} bytes`);
      if (!name.endsWith('.text')) for (const line of stdout.split('\n')) if (line.startsWith('{')) JSON.parse(line);
      for (const trace of TRACES) assert.not.match(`${stdout}${stderr}${metaText}`, trace);
    });
  }
}

const LABELS: { files: string; class: string | null }[] = readFileSync('test/corpus/captures.jsonl', 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));

/** Of events, by the CLI and the scenario: the classes with which test/corpus.test.ts judges the captures. */
const CLASSES = new Map<string, (string | null)[]>();
for (const { files, class: label } of LABELS.filter((one) => !/\.(?:text|retries)$/.test(one.files))) {
  const { tool, scenario } = JSON.parse(readFileSync(path.join('test/corpus', files, 'meta.json'), 'utf8'));
  CLASSES.set(`${tool} ${scenario}`, [...(CLASSES.get(`${tool} ${scenario}`) ?? []), label]);
}

test('what the suite of the real CLIs leaves to the benchmark has a capture with the same class', () => {
  const left = matrixRows.flatMap((row) =>
    callsOf(
      row,
      TOOLS.filter((tool) => !isInSuite(row, tool)),
    ),
  );
  assert.ok(left.length > 0);
  const without = left.filter(
    ({ tool, scenario, expected }) => CLASSES.get(`${tool} ${scenario}`)?.includes(expected.class) !== true,
  );
  assert.equal(
    without.map(({ tool, name }) => `${tool}: ${name}`),
    [],
  );
  // Those of the catalogue have no captures.
  const rows = [...catalogueRows('opencode'), ...catalogueRows('qwen')];
  assert.equal(
    catalogueRows(null).filter((row) => !rows.includes(row)),
    [],
  );
});

test('no folder is left over', () => {
  assert.equal(readdirSync(CAPTURES).sort(), [...TOOLS].sort());
});

test.run();

/** Texts that would reveal a machine, a day or a run. */
const TRACES = [
  path.resolve(import.meta.dirname, '../..'),
  ...(homedir() === '/home/user' ? [] : [`${homedir()}/`]),
  ...(userInfo().username.length > 4 ? [userInfo().username] : []),
  ...(hostname().length > 4 ? [hostname()] : []),
  '/.homes/',
  'copilot-cache',
  /127\.0\.0\.1:(?!8080\b|9\b)\d/,
  /"timestamp":"(?!2026-01-01T00:00:00)/,
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[1-8](?!000-8000-)[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b(?<!11111111-2222-4333-8444-555555555555)/,
];
