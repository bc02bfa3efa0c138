// A tool that is a command of tollgate: the same words, the same refusals, read in this very process.

import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { askForObject } from '../../command.ts';
import type { Ran } from '../../ran.ts';
import { refused } from './run-object.ts';
import type { McpTool, ServerSettings, ToolSaid } from './tool.ts';

interface Verb extends Omit<McpTool, 'act'> {
  run(argv: readonly string[]): Promise<Ran>;
  argv(given: Record<string, unknown>): string[];
  /** Why this server does not allow it; null where it does. */
  refuses?(given: Record<string, unknown>, server: ServerSettings): string | null;
  /** What of its object is told; all of it unless said. */
  tells?(object: Record<string, unknown>, given: Record<string, unknown>): Record<string, unknown>;
  /** Ends with an object that is no failure of the asking; 0 alone unless said. */
  answersWith?: readonly number[];
}

export function verbTool({ run, argv, refuses, tells, answersWith = [TOLLGATE_EXIT.ok], ...tool }: Verb): McpTool {
  return {
    ...tool,
    async act(given, { server }) {
      const why = refuses?.(given, server) ?? null;
      if (why !== null) return refused(why);
      const { exit, object } = await inTurn(tool.changes, async () => askForObject(run, argv(given)));
      const isDone = answersWith.includes(exit);
      return { how: isDone ? 'done' : 'failed', object: isDone && tells ? tells(object, given) : refusal(object) };
    },
  };
}

/** What a command refuses is a mistake in what it was given. */
const refusal = (object: Record<string, unknown>): ToolSaid['object'] =>
  object.state === 'refused' && object.class === undefined
    ? { ...object, class: 'tooling', reason: 'bad_input' }
    : object;

let last: Promise<unknown> = Promise.resolve();

/** Commands that change something listen to signals, as if they were alone: one at a time, and none of it stays. */
export function inTurn<T>(changes: McpTool['changes'], act: () => Promise<T>): Promise<T> {
  if (changes === 'nothing') return act();
  const turn = last.then(async () => {
    const before = SIGNALS.map((name) => process.listeners(name));
    try {
      return await act();
    } finally {
      for (const [at, name] of SIGNALS.entries())
        for (const listener of process.listeners(name))
          if (!before[at]!.includes(listener)) process.removeListener(name, listener);
    }
  });
  last = turn.catch(() => {});
  return turn;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
