// Implements tollgate explain: shows why a task failed, by which rule, the text of its signature, and what to do.

import { explainTask } from '../../../loops/report/explain.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { readArguments } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import type { Ran } from '../../ran.ts';
import { renderExplanation } from './explain-page.ts';

const SPEC: CommandSpec = {
  name: 'tollgate explain',
  usage: 'TASK [--stage S]',
  about:
    "Explains a task's last failure: class, evidence, the rule that matched, what the signature means, what was decided, what to do.",
  flags: { stage: { takes: 'text', about: 'the last call of this stage instead' } },
  words: { min: 1, max: 1, called: 'TASK (an id, or a path with a /)' },
  examples: [
    ['tollgate explain fix-login', 'the last failure, also after a success has resolved it'],
    ['tollgate explain fix-login --stage codex_impl --json', "one stage's last call, for another program"],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'explained, or there is nothing to explain'],
    [TOLLGATE_EXIT.badInput, 'no such task or stage, or state that cannot be read'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { text, given, words } = read.args;
  const explained = await explainTask({
    word: words[0]!,
    stage: text.stage ?? null,
    cwd: process.cwd(),
    environment: process.env,
    clock: () => new Date(),
  });
  switch (explained.how) {
    case 'invalid':
      return { exit: TOLLGATE_EXIT.badInput, err: `tollgate explain: ${explained.message}\n` };
    case 'nothing': {
      const { taskId, message } = explained;
      const answer = { schema: 1, task_id: taskId, of: 'nothing', message };
      return { exit: 0, out: given.has('json') ? `${JSON.stringify(answer)}\n` : `${message}\n` };
    }
    case 'explained': {
      const { explanation } = explained;
      return { exit: 0, out: given.has('json') ? `${JSON.stringify(explanation)}\n` : renderExplanation(explanation) };
    }
  }
}
