// The fake agents of a supervised round: each writes its prompt and its answer to disk; the reasoner says what the plan has for that iteration.

import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BuiltIn } from '../../../policies/facts/tools.ts';
import { SESSION, STREAMS } from '../../../test/rig/streams.ts';
import type { Call, Said } from '../../../test/rig/supervision-model.ts';
import { GARBAGE, type SuperviseSaid } from './plan.ts';

/** A line that an agent leaves on disk. */
export type Seen =
  | ({ what: 'asked'; call_id: string } & Call)
  /** What its answer means to the loop; null for a worker's answer. */
  | { what: 'says'; call_id: string; said: Said | null }
  /** All of them are on disk. */
  | { what: 'answered'; call_id: string };

/** A file out of scope. */
const STRAY = 'stray.txt';

async function answer(tool: BuiltIn, words: string[]): Promise<void> {
  if (words[0] === '--version') return;
  const prompt = readFileSync(0, 'utf8');
  const call_id = path.basename(process.env.TOLLGATE_CALL_ID!);
  const see = (seen: Seen) => appendFileSync(process.env.TORTURE_SEEN!, `${JSON.stringify(seen)}\n`);
  const iteration = Number(/^# Iteration (\d+): the current instruction$/m.exec(prompt)?.[1] ?? 0);
  const heading = '# Current instruction\n\n';
  const text = iteration > 0 ? prompt : prompt.slice(Math.max(0, prompt.lastIndexOf(heading)));
  see({ what: 'asked', call_id, part: iteration > 0 ? 'reasoner' : 'worker', text });
  await new Promise((resolve) => setTimeout(resolve, Number(process.env.TORTURE_WORK_MS)));
  const { opens, says, succeeds, fails } = STREAMS[tool];
  const say = (lines: readonly string[]) => process.stdout.write(`${lines.join('\n')}\n`);
  const end = (said: Said | null, answered: string) => {
    see({ what: 'says', call_id, said });
    say([...opens(SESSION), ...says(answered), ...succeeds(SESSION)]);
    see({ what: 'answered', call_id });
  };
  if (iteration === 0) {
    work(text.slice(heading.length));
    return end(null, 'it is done');
  }
  const word = (JSON.parse(process.env.TORTURE_SCRIPT!) as SuperviseSaid[])[iteration - 1] ?? 'over';
  const red = process.env.TORTURE_RED!;
  if (word === 'early') writeFileSync(red, '');
  else rmSync(red, { force: true });
  if (word === 'fails') {
    see({ what: 'says', call_id, said: { how: 'fails' } });
    say([...opens(SESSION), ...fails('unexpected status 401 Unauthorized: no', 401, SESSION)]);
    process.exitCode = 1;
    return;
  }
  const [said, answered] = meant(word, iteration);
  end(said, answered);
}

function work(instruction: string): void {
  mkdirSync('src', { recursive: true });
  appendFileSync('src/work.txt', `${instruction}\n`);
  if (instruction.startsWith('Stray')) writeFileSync(STRAY, 'x\n');
  if (instruction.startsWith('Repair')) rmSync(STRAY, { force: true });
}

/** What the answer means to the loop, and its words. */
function meant(word: Exclude<SuperviseSaid, 'fails'> | 'over', iteration: number): [Said, string] {
  const next = (verb: string): [Said, string] => {
    const instruction = `${verb} of ${iteration}\n  its second line\n`;
    return [{ how: 'continue', instruction }, JSON.stringify({ action: 'continue', instruction })];
  };
  switch (word) {
    case 'continue':
    case 'stray':
    case 'repair':
      return next({ continue: 'Task', stray: 'Stray', repair: 'Repair' }[word]);
    case 'no_op':
      return [{ how: 'no_op' }, 'As before:\n```json\n{"action": "no_op"}\n```\n'];
    case 'ask':
      return [{ how: 'ask', question: 'Which?' }, JSON.stringify({ action: 'ask', question: 'Which?' })];
    case 'save_session':
      return [{ how: 'save_session' }, JSON.stringify({ action: 'save_session', why: 'later' })];
    case 'early':
      return [{ how: 'refused' }, DONE];
    case 'over':
      return existsSync(STRAY) ? next('Repair') : [{ how: 'believed' }, DONE];
    default: {
      const raw = GARBAGE[Number(word.split(' ')[1])]!;
      return [{ how: 'garbage', raw }, raw];
    }
  }
}

const DONE = JSON.stringify({ action: 'done', summary: 'all of it' });

void answer(path.basename(process.argv[1]!) as BuiltIn, process.argv.slice(2));
