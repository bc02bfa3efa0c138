// How soon a run attaches to the call that a killed one left, and how soon it goes on once that has ended.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openCalls } from '../state/journal/ledger.ts';
import type { FakeCall } from '../test/rig/fake-call.ts';
import { answerWith } from '../test/rig/streams.ts';
import { ANY_ANSWER, makeTask, type TestTask } from '../test/rig/task-run.ts';
import { TestRig } from '../test/rig/test-rig.ts';

const ROUNDS = Number(process.argv[2] ?? 20);

/** Milliseconds; null where there is nothing to wait for. */
interface Round {
  attachedMs: number | null;
  wentOnMs: number;
}

interface Left {
  rig: TestRig;
  task: TestTask;
  fake: FakeCall;
}

/** Two stages: the run has gone on when it says that it makes the next call. */
const STAGES = [
  { tool: 'codex', role: 'brief', ...ANY_ANSWER },
  { tool: 'codex', role: 'review', ...ANY_ANSWER },
];

const SCENES: [what: string, kill: readonly ('guardian' | 'cli')[], attaches: RegExp | null][] = [
  ['its guardian lives', [], /waiting for the call/],
  ['its guardian is dead, its CLI lives', ['guardian'], /lost its guardian and still works/],
  ['everything is dead', ['guardian', 'cli'], null],
];

console.log(`${ROUNDS} rounds each, node ${process.version}, ${process.platform}.\n`);
console.log(
  '| of the call that a killed run left | until the next run has attached, ms: median, max | from its end until the run goes on, ms: median, max |',
);
console.log('|---|---|---|');
for (const [what, kill, attaches] of SCENES) {
  const rounds: Round[] = [];
  for (let i = 0; i < ROUNDS; i++) rounds.push(await round(kill, attaches));
  const attached = rounds.flatMap(({ attachedMs }) => (attachedMs === null ? [] : [attachedMs]));
  console.log(`| ${what} | ${shown(attached)} | ${shown(rounds.map(({ wentOnMs }) => wentOnMs))} |`);
}

async function round(kill: readonly ('guardian' | 'cli')[], attaches: RegExp | null): Promise<Round> {
  const rig = await TestRig.open();
  try {
    return await timed(await leave(rig, kill), attaches);
  } finally {
    await rig.dispose();
  }
}

async function leave(rig: TestRig, kill: readonly ('guardian' | 'cli')[]): Promise<Left> {
  const task = makeTask(rig, { stages: STAGES });
  const first = task.start();
  const fake = await rig.call();
  while (openCalls(task.journal.read().ledger)[0]?.started == null)
    await new Promise((resolve) => setImmediate(resolve));
  const [call] = openCalls(task.journal.read().ledger);
  first.signal('SIGKILL');
  if (kill.includes('guardian')) process.kill(call!.reserved.guardian.pid, 'SIGKILL');
  if (kill.includes('cli')) await fake.tell({ do: 'die', signal: 'SIGKILL' });
  await first.result;
  return { rig, task, fake };
}

async function timed({ rig, task, fake }: Left, attaches: RegExp | null): Promise<Round> {
  // What the left call was told before stands; every later one answers at once.
  rig.answer(() => answerWith('codex', 'ok'));
  const began = performance.now();
  const next = task.start();
  let ended = began;
  let attachedMs: number | null = null;
  if (attaches !== null) {
    await next.says(attaches);
    attachedMs = performance.now() - began;
    await fake.tell(...answerWith('codex', 'paid for'));
    await fake.gone;
    // A guardian's verdict is the end of its call; without one that of the CLI.
    if (attaches === SCENES[0]![2]) await verdictOf(task);
    ended = performance.now();
  }
  // With everything dead the first stage is asked again.
  await next.says(attaches === null ? /stage codex_brief: call 1/ : /stage codex_review: call 1/);
  const wentOnMs = performance.now() - ended;
  const { code, stderr } = await next.result;
  if (code !== 0) throw new Error(`the next run exited ${code}: ${stderr}`);
  return { attachedMs, wentOnMs };
}

async function verdictOf(task: TestTask): Promise<void> {
  const file = path.join(task.folder, 'state/journal.jsonl');
  while (!readFileSync(file, 'utf8').includes('"fact":"verdict"'))
    await new Promise((resolve) => setImmediate(resolve));
}

function shown(values: number[]): string {
  if (values.length === 0) return '–';
  const sorted = values.sort((a, b) => a - b);
  return `${sorted[Math.floor(sorted.length / 2)]!.toFixed(0)}, ${sorted.at(-1)!.toFixed(0)}`;
}
