// The fake agents of a supervised round: each says on disk what it was asked; the worker answers, the reasoner says what the plan has for that iteration.

import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { BuiltIn } from '../../../policies/facts/tools.ts';
import { SESSION, STREAMS } from '../../../test/rig/streams.ts';
import type { SuperviseSaid } from './plan.ts';

async function answer(tool: BuiltIn, words: string[]): Promise<void> {
  if (words[0] === '--version') return;
  const prompt = readFileSync(0, 'utf8');
  const iteration = Number(/^# Iteration (\d+): the current instruction$/m.exec(prompt)?.[1] ?? 0);
  const instruction = prompt.split('# Current instruction\n\n').at(-1)!;
  const asked = iteration > 0 ? { part: 'reasoner', iteration } : { part: 'worker', instruction };
  appendFileSync(process.env.TORTURE_SEEN!, `${JSON.stringify(asked)}\n`);
  await new Promise((resolve) => setTimeout(resolve, Number(process.env.TORTURE_WORK_MS)));
  const { opens, says, succeeds, fails } = STREAMS[tool];
  const say = (lines: readonly string[]) => process.stdout.write(`${lines.join('\n')}\n`);
  const end = (text: string) => say([...opens(SESSION), ...says(text), ...succeeds(SESSION)]);
  if (iteration === 0) {
    end('it is done');
    return;
  }
  const script = JSON.parse(process.env.TORTURE_SCRIPT!) as SuperviseSaid[];
  const said = script[iteration - 1] ?? 'done';
  if (said === 'fails') {
    say([...opens(SESSION), ...fails('unexpected status 401 Unauthorized: no', 401, SESSION)]);
    process.exitCode = 1;
  } else if (said === 'garbage') end('{"action":"continue","instruction":"Do ha');
  else if (said === 'continue') end(JSON.stringify({ action: 'continue', instruction: `Task of ${iteration}` }));
  else if (said === 'done') end(JSON.stringify({ action: 'done', summary: 'all of it' }));
  else end(JSON.stringify({ action: said, why: 'later' }));
}

void answer(path.basename(process.argv[1]!) as BuiltIn, process.argv.slice(2));
