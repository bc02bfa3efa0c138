// Has two CLIs review the diff of the current branch, and prints the findings that both name before the others.
// npx tsx two-reviews.ts main

import { $ } from 'zx';

const [base = 'main', first = 'codex', second = 'claude'] = process.argv.slice(2);

// codex takes a schema by its own flag only if each property is required and no other is allowed.
const strict = (properties: object) => {
  const required = Object.keys(properties);
  return { type: 'object', properties, required, additionalProperties: false };
};
const finding = strict({ file: { type: 'string' }, line: { type: 'integer' }, problem: { type: 'string' } });
const schema = JSON.stringify(strict({ findings: { type: 'array', items: finding } }));

interface Finding {
  file: string;
  line: number;
  problem: string;
}

const { stdout: diff } = await $({ quiet: true })`git diff ${base}...HEAD`;
const review = async (tool: string): Promise<Finding[] | null> => {
  const input = `Review this diff. Name each defect with its file and line.\n\n${diff}`;
  const called = await $({ quiet: true, nothrow: true, input })`tollgate call ${tool} --json-schema ${schema}`;
  if (called.exitCode === 0) return JSON.parse(called.stdout).findings;
  console.error(called.stderr.trim());
  return null;
};
const [ours, theirs] = await Promise.all([review(first), review(second)]);
if (ours === null || theirs === null) process.exit(1);
const isSame = (a: Finding, b: Finding) => a.file === b.file && Math.abs(a.line - b.line) <= 3;
const both = ours.filter((a) => theirs.some((b) => isSame(a, b)));
const one = [...ours, ...theirs].filter((a) => !both.some((b) => isSame(a, b)));
const print = (by: string, found: Finding[]) => {
  for (const { file, line, problem } of found) console.log(`${by}\t${file}:${line}\t${problem.replace(/\s+/g, ' ')}`);
};
print('both', both);
print('one', one);
