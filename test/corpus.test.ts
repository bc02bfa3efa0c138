// The labelled corpus: whole, large enough, a third of it held out, and each open case judged as it is labelled.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { judgeCases } from '../loops/report/triage.ts';
import { differences, type LabelledCase } from '../policies/verdict/labelled-case.ts';
import { readCorpus } from '../state/corpus.ts';

const CORPUS = 'test/corpus';

const read = readCorpus(CORPUS, '.');
const cases = read.how === 'read' ? read.cases : [];
const isHeld = ({ file }: LabelledCase) => path.relative(CORPUS, file).startsWith('held');
const [held, open] = [cases.filter(isHeld), cases.filter((one) => !isHeld(one))];

test('every line is well-formed, and no id stands twice', () => {
  assert.is(read.how === 'invalid' ? read.message : '', '');
});

/** Each of these folders is named by one line and no more. */
const LABELLED: [file: string, folders: string][] = [
  ['captures.jsonl', 'test/captures/*'],
  ['cases.jsonl', 'test/policies/cases'],
];
for (const [file, folders] of LABELLED)
  test(`${file} labels each folder of ${folders}`, () => {
    const [parent, within] = folders.split('/*') as [string, string | undefined];
    const recorded = within === undefined ? namesIn(parent) : namesIn(parent).flatMap((one) => namesIn(one));
    assert.equal(foldersOf(file).sort(), recorded.sort());
  });

const SIZES: [what: string, least: number, size: number][] = [
  ['cases', 400, cases.length],
  ['failures', 100, renderings().length],
  ['failures that are told in two ways or more', 60, renderings().filter(({ size }) => size > 1).length],
  ['cases that are held out', Math.ceil(cases.length / 3), held.length],
];
for (const [what, least, size] of SIZES)
  test(`there are at least ${least} ${what}`, () => assert.ok(size >= least, `${size}`));

/** Judged otherwise than labelled; one that comes right leaves this list. */
const MISSES: readonly [why: string, ids: readonly string[]][] = [
  [
    'of two reasons the other one',
    [
      'open-access-gemini-tier-dasher-words-1',
      'open-limits-codex-processing-1',
      'open-limits-codex-processing-2',
      'open-limits-codex-processing-text-1',
      'open-limits-codex-processing-text-2',
      'open-machine-copilot-sigsegv-1',
      'open-machine-copilot-sigsegv-2',
      'open-network-copilot-goaway-1',
      'open-network-copilot-goaway-2',
      'open-setup-codex-bad-effort-1',
      'open-setup-codex-bad-effort-2',
    ],
  ],
  ['a panic is taken for the fault of the installation', ['seen-b-codex-236', 'seen-b-codex-237']],
  ['an internal error without more is taken for one that passes', ['seen-b-codex-238']],
  ['what is printed in the place of the answer has no sign of an error', ['captures-claude-404-text']],
  [
    'the failure of a helper is told apart from the end',
    [
      'seen-d-copilot-mcp-401-plain-1',
      'seen-d-copilot-mcp-401-plain-2',
      'seen-d-copilot-session-mutex-plain-1',
      'seen-f-copilot-winpty-copilot-old-text-1',
      'seen-f-copilot-winpty-copilot-old-text-2',
    ],
  ],
  ['a kill from outside is taken for one that passes', ['seen-d-kernel-oom-kill-bash-1']],
  ['too long an argument list is taken for too large a prompt', ['seen-d-e2big-spawn-1', 'seen-d-e2big-spawn-2']],
  ['of a message in several lines the last is believed', ['seen-l-claude-json-box']],
  ['two times are told, and the later one is believed', ['seen-c-quota-gemini-capacity-hours-text-1']],
];
const missed = new Set(MISSES.flatMap(([, ids]) => ids));

for (const { labelled, verdict } of judgeCases(open))
  test(`${labelled.id} is judged ${missed.has(labelled.id) ? 'otherwise than' : 'as'} labelled`, () => {
    const differs = differences(labelled.label, verdict);
    const by = `by ${verdict.evidence?.rule}: ${verdict.evidence?.text}`;
    if (missed.has(labelled.id)) assert.is.not(differs.length, 0, by);
    else assert.equal(differs, [], by);
  });

test.run();

/** How each failure is told, in all the cases that have it. */
function renderings(): Set<string>[] {
  const found = new Map<string, Set<string>>();
  for (const { identity, rendering } of cases.filter((one) => one.identity !== null))
    found.set(`${identity}`, (found.get(`${identity}`) ?? new Set()).add(`${rendering}`));
  return [...found.values()];
}

function foldersOf(file: string): string[] {
  const lines = readFileSync(path.join(CORPUS, file), 'utf8').trimEnd().split('\n');
  return lines.map((line) => path.join(CORPUS, (JSON.parse(line) as { files: string }).files));
}

function namesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => path.join(folder, name));
}
