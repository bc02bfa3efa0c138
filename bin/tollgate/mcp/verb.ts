// Makes a tool from a command of tollgate: the same words and refusals, executed in this process.

import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { askForObject } from '../../command.ts';
import type { Ran } from '../../ran.ts';
import { actionsAbout, refused } from './run-object.ts';
import type { McpTool, ServerSettings, ToolResult } from './tool.ts';

interface Verb extends Omit<McpTool, 'act'> {
  run(argv: readonly string[]): Promise<Ran>;
  argv(given: Record<string, unknown>, server: ServerSettings): string[];
  /** Why this server does not allow it; null if it does. */
  refuses?(given: Record<string, unknown>, server: ServerSettings): string | null;
  /** The part of the command's object that is returned; by default all of it. */
  tells?(object: Record<string, unknown>, given: Record<string, unknown>): Record<string, unknown>;
  /** Exit codes whose object is an answer and not a failed request; by default only 0. */
  answersWith?: readonly number[];
}

export function verbTool({ run, argv, refuses, tells, answersWith = [TOLLGATE_EXIT.ok], ...tool }: Verb): McpTool {
  return {
    ...tool,
    async act(given, { server }) {
      const why = refuses?.(given, server) ?? null;
      if (why !== null) return refused(why);
      const { exit, object } = await inTurn(tool.changes, async () => askForObject(run, argv(given, server)));
      const isDone = answersWith.includes(exit);
      return { how: isDone ? 'done' : 'failed', object: isDone && tells ? tells(object, given) : refusal(object) };
    },
  };
}

/** If a command refuses, its input contains a mistake. */
const refusal = (object: Record<string, unknown>): ToolResult['object'] =>
  object.state === 'refused' && object.class === undefined
    ? {
        ...object,
        class: 'tooling',
        reason: 'bad_input',
        ...(namesHelp(object) ? { next_actions: actionsAbout(String(object.message)) } : {}),
      }
    : object;

const namesHelp = ({ next_actions }: Record<string, unknown>): boolean =>
  (next_actions as { command?: string }[] | undefined)?.[0]?.command?.endsWith(' --help') === true;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Commands that change something listen to signals and then remove all listeners, so they run one at a time. */
export const inTurn = createTurns();

function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return inTurn;

  function inTurn<T>(changes: McpTool['changes'], act: () => Promise<T>): Promise<T> {
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
}
