// npm start: dispatches the example task through the real code with a replay CLI (no key, no network), and shows the result.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const examples = path.dirname(fileURLToPath(import.meta.url));
const tollgate = path.join(examples, '../dist/tollgate.cjs');
const task = path.resolve('.tmp/task/example-hello');

rmSync(task, { recursive: true, force: true });
mkdirSync(path.dirname(task), { recursive: true });
cpSync(path.join(examples, 'example-hello'), task, { recursive: true });

console.log('Dispatching the example task with a replay CLI in place of gemini and copilot.');
console.log('Its first call meets an overloaded model on purpose.\n');
const run = spawnSync(process.execPath, [tollgate, 'run', `${path.relative('.', task)}/`], {
  stdio: 'inherit',
  env: {
    ...process.env,
    PATH: `${path.join(examples, 'replay')}${path.delimiter}${process.env.PATH}`,
    TOLLGATE_EXAMPLE_STATE: task,
  },
});
console.log(`\nThe task is in ${path.relative('.', task)}/: outputs/_summary.md, outputs/*.out, state/journal.jsonl.`);
console.log('With the real CLIs, signed in, the same task is one line:\n');
console.log('    npx tollgate run example-hello --redo gemini_brief --redo copilot_review --trust-workspace\n');
process.exitCode = run.status ?? 1;
