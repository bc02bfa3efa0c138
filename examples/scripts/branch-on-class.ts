// Calls a CLI once, and branches on the class of a failure. Copy it, and edit the branches.
// npx tsx branch-on-class.ts codex "Name the risks of src/login.ts."

import { $ } from 'zx';

interface CallRecord {
  answer: string;
  verdict: { class: string | null; reason: string | null; retry_at: string | null };
  next_actions?: { text: string }[];
}

const [tool = 'codex', prompt = 'Say in one sentence what this project does.'] = process.argv.slice(2);

const call = await $({ quiet: true, nothrow: true })`tollgate call ${tool} --json -- ${prompt}`;
const record = (call.stdout === '' ? {} : JSON.parse(call.stdout)) as Partial<CallRecord>;
// A mistake in the command line has no record.
if (record.verdict === undefined) throw new Error(call.stderr || call.stdout);

switch (record.verdict.class) {
  case null:
    console.log(record.answer);
    break;
  case 'quota':
    console.error(`Try again ${record.verdict.retry_at ?? 'later'}, or call another CLI.`);
    process.exitCode = 75;
    break;
  case 'auth':
    console.error(`Sign in to ${tool} first.`);
    process.exitCode = 77;
    break;
  default:
    console.error(`${record.verdict.class}/${record.verdict.reason}`);
    for (const { text } of record.next_actions ?? []) console.error(`- ${text}`);
    process.exitCode = 1;
}
