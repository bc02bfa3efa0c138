// Records what the real CLIs print in each scenario, as the wrappers call them: `npm run record [tool] [pattern]`.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BuiltIn, isBuiltIn } from '../../policies/facts/tools.ts';
import { startModelApi } from './model-api.ts';
import { type RecordedCase, recordedCases } from './record/cases.ts';
import { runBare } from './record/run-bare.ts';

const CAPTURES = path.resolve(import.meta.dirname, '../captures');
/** gemini is heavy: more of them at once only slow each other. */
const LANES: Record<BuiltIn, number> = { gemini: 2, codex: 1, copilot: 2, claude: 2 };

const words = process.argv.slice(2);
const tools = words.filter(isBuiltIn);
const pattern = new RegExp(words.find((word) => !isBuiltIn(word)) ?? '.');
const api = await startModelApi();
const queues = Object.entries(LANES).map(([tool, lanes]) => ({
  lanes: tools.length === 0 || tools.includes(tool as BuiltIn) ? lanes : 0,
  cases: recordedCases(tool as BuiltIn).filter(({ name }) => pattern.test(name)),
}));
await Promise.all(queues.flatMap(({ lanes, cases }) => Array.from({ length: lanes }, () => work(cases))));
await api.close();

async function work(cases: RecordedCase[]): Promise<void> {
  for (let one = cases.shift(); one !== undefined; one = cases.shift()) await record(one);
}

async function record(one: RecordedCase): Promise<void> {
  const began = Date.now();
  const { stdout, stderr, meta } = await runBare(one, api);
  const folder = path.join(CAPTURES, one.tool, one.name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'stdout'), stdout);
  writeFileSync(path.join(folder, 'stderr'), stderr);
  writeFileSync(path.join(folder, 'meta.json'), `${JSON.stringify(meta, null, 2)}\n`);
  const end = meta.killed ? 'killed' : (meta.signal ?? `exit ${meta.exit_code}`);
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  console.log(`${one.tool} ${one.name}: ${end}, ${meta.requests} requests, ${seconds} s`);
}
