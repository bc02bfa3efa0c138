// Makes the answer for the client: without secrets, bounded, with tools to call instead of commands to type.

import path from 'node:path';
import { type NextAction, toDo } from '../../../policies/facts/next-action.ts';
import { createRedactor } from '../../../policies/redact/create-redactor.ts';
import { redactValue } from '../../../policies/redact/redactor.ts';
import { visible } from '../../../policies/text/display.ts';
import { realOr } from '../../../state/disk/real-folder.ts';
import { refusalOf } from '../../../state/system-error.ts';
import { projectState } from '../../../state/task-folder.ts';
import type { McpTool, ToolCaller, ToolResult } from './tool.ts';

/** A client that sends too many calls must wait for its earlier ones. */
const MOST_AT_ONCE = 64;

/** @returns a function that never throws: an unexpected error also becomes an error result. */
export function createAnswer() {
  let atOnce = 0;
  return async (tool: McpTool, given: Record<string, unknown>, caller: ToolCaller): Promise<ToolResult> => {
    if (atOnce >= MOST_AT_ONCE)
      return failed(`${MOST_AT_ONCE} calls of tools are under way; wait for their answers, then ask again`);
    atOnce += 1;
    try {
      return await tool.act(given, caller);
    } catch (error) {
      return failed(refusalOf(error) ?? (error instanceof Error ? error.message : String(error)));
    } finally {
      atOnce -= 1;
    }
  };
}

const failed = (message: string): ToolResult => ({
  how: 'failed',
  object: { state: 'refused', message, next_actions: [toDo('fix what the message names, and call again')] },
});

/** The text is for clients that do not read `structuredContent`. */
export function resultOf({ how, object }: ToolResult) {
  const { redact } = createRedactor({ env: process.env, patterns: [] });
  const structuredContent = redactValue(withCalls(object), (text) => shortened(visible(redact(text)))) as Record<
    string,
    unknown
  >;
  const text = JSON.stringify(structuredContent);
  return {
    content: [{ type: 'text' as const, text }],
    structuredContent,
    ...(how === 'failed' ? { isError: true } : {}),
  };
}

/** What a model can read at once; the files contain the rest. */
const MOST_CHARS = 20_000;

const shortened = (text: string): string =>
  text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS)} [${text.length - MOST_CHARS} more characters]`;

interface NextCall extends Omit<NextAction, 'command'> {
  call?: { tool: string; arguments: Record<string, unknown> };
}

/** If no tool of the server does the same as the command, the user must type it. */
export function callFor({ text, command, pays, changes }: NextAction): NextCall {
  if (command === undefined) return { text, pays, changes };
  const call = toolFor(wordsOf(command));
  if (call === null) return { text: `ask the user to type a command. To ${text}: \`${command}\``, pays, changes };
  return { text, call, pays, changes };
}

/** Converts the next actions everywhere in an object that a command printed. */
export function withCalls(value: unknown, key = ''): unknown {
  if (key === 'next_action' && isAction(value)) return callFor(value);
  if (Array.isArray(value))
    return value.map((each) => (key === 'next_actions' && isAction(each) ? callFor(each) : withCalls(each)));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withCalls(each, name)]));
}

const isAction = (value: unknown): value is NextAction =>
  value !== null && typeof value === 'object' && 'text' in value && 'pays' in value;

/** Reads words as `shellWord` writes them. */
const wordsOf = (command: string): string[] =>
  (command.match(/(?:[^\s'\\]|'[^']*'|\\.)+/g) ?? []).map((word) =>
    word.replace(/'([^']*)'|\\(.)/g, (_, quoted: string | undefined, one: string) => quoted ?? one),
  );

/** @returns null if no tool can do the same: the flags say more than the tool takes. */
function toolFor(words: readonly string[]): Required<NextCall>['call'] | null {
  const begins = words.findIndex((word) => /(?:^|\/)tollgate$/.test(word));
  if (begins === -1 || words.includes('&&')) return null;
  const [verb, task, ...flags] = words.slice(begins + 1).filter((word) => word !== '--trust-workspace');
  if (task === undefined) return verb === 'budget' || verb === 'status' ? { tool: verb, arguments: {} } : null;
  const id = idOf(task);
  switch (verb) {
    case 'run': {
      const stages = stagesOf(flags);
      return stages !== null && id !== null ? { tool: 'run_task', arguments: { task: id, ...stages } } : null;
    }
    case 'supervise':
      return flags.length === 0 && task !== '--resume' && id !== null
        ? { tool: 'supervise', arguments: { task: id } }
        : null;
    case 'distill':
      return task === 'resume' && flags.length === 1 ? { tool: 'distill', arguments: { name: flags[0] } } : null;
    case 'explain':
      return flags.length === 0 && id !== null ? { tool: 'explain_failure', arguments: { task: id } } : null;
    case 'preflight':
      return task === '--tools' && flags.length === 1
        ? { tool: 'preflight', arguments: { tools: flags[0]!.split(',') } }
        : null;
    default:
      return null;
  }
}

/** A tool takes an id of the server's project. @returns null for a path of another task, which may have the same id. */
function idOf(word: string): string | null {
  if (!word.includes('/')) return word;
  const folder = path.resolve(word);
  const tasks = path.join(projectState(process.cwd(), process.env), 'task');
  return realOr(path.dirname(folder)) === realOr(tasks) ? path.basename(folder) : null;
}

/** Reads `--redo` and `--keep`, each with its stage, or `--recheck` alone. @returns null if there is another flag. */
function stagesOf(flags: readonly string[]): { redo?: string[]; keep?: string[]; recheck?: true } | null {
  if (flags.length === 1 && flags[0] === '--recheck') return { recheck: true };
  const named = { redo: [] as string[], keep: [] as string[] };
  for (let i = 0; i < flags.length; i += 2) {
    const list = flags[i] === '--redo' ? named.redo : flags[i] === '--keep' ? named.keep : null;
    const stage = flags[i + 1];
    if (list === null || stage === undefined) return null;
    list.push(stage);
  }
  return {
    ...(named.redo.length === 0 ? {} : { redo: named.redo }),
    ...(named.keep.length === 0 ? {} : { keep: named.keep }),
  };
}
