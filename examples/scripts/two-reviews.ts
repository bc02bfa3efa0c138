// Has two CLIs review the diff of the current branch, and prints the findings that both name before the others.
// npx tsx two-reviews.ts main

import { $ } from 'zx';

const [base = 'main', ...tools] = process.argv.slice(2);
const [first = 'codex', second = 'claude'] = tools;

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
const review = async (tool: string): Promise<Finding[]> => {
  const input = `Review this diff. Name each defect with its file and line.\n\n${diff}`;
  const { stdout } = await $({ quiet: true, input })`tollgate call ${tool} --json-schema ${schema}`;
  return JSON.parse(stdout).findings;
};
const [ours, theirs] = await Promise.all([review(first), review(second)]);

const isSame = (a: Finding, b: Finding) => a.file === b.file && Math.abs(a.line - b.line) <= 3;
const both = ours.filter((a) => theirs.some((b) => isSame(a, b)));
const one = [...ours, ...theirs].filter((a) => !both.some((b) => isSame(a, b)));
const print = (by: string, found: Finding[]) =>
  found.forEach(({ file, line, problem }) => void console.log(`${by}\t${file}:${line}\t${problem}`));
print('both', both);
print('one', one);
