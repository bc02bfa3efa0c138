import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { classify } from '../../policies/classify.ts';
import type { Evidence } from '../../policies/evidence.ts';
import type { Tool } from '../../policies/tools.ts';

const FOLDER = 'test/policies/wordings';

/** What a CLI said on stderr, and what it means: a class, or a class and a reason. One JSON object a line. */
interface Sample {
  tool: Tool;
  text: string;
  verdict: string;
}

const samples = (file: string): Sample[] =>
  readFileSync(path.join(FOLDER, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Sample);

function judge({ tool, text }: Sample) {
  const evidence: Evidence = {
    tool,
    ending: 'exited',
    exitCode: 1,
    signal: null,
    completed: false,
    answerChars: 0,
    failure: null,
    errors: [],
    stderr: text.split('\n'),
    remarks: [],
    obstacle: null,
    tokens: null,
  };
  return classify(evidence, { now: new Date('2026-11-21T21:00:00.000Z') });
}

for (const file of readdirSync(FOLDER))
  for (const sample of samples(file))
    test(`${file}: ${sample.tool}: ${sample.text.slice(0, 100).replaceAll('\n', ' ⏎ ')}`, () => {
      const { class: errorClass, reason, evidence } = judge(sample);
      const verdict = sample.verdict.includes('/') ? `${errorClass}/${reason}` : errorClass;
      assert.is(verdict, sample.verdict, `by ${evidence?.rule}`);
    });

test('the samples are there, the twenty pitfalls of a triage by loose patterns first of all', () => {
  assert.equal(readdirSync(FOLDER).sort(), ['machine.jsonl', 'pitfalls.jsonl', 'services.jsonl', 'unheard.jsonl']);
  assert.is(samples('pitfalls.jsonl').length, 20);
});

test.run();
