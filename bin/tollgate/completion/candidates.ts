// Finds completions for a command line: commands, flags, and the names of tasks, stages, tools, pipelines and sessions.

import path from 'node:path';
import { readTask } from '../../../loops/task/task.ts';
import { TOOLS } from '../../../policies/facts/tools.ts';
import { PIPELINES } from '../../../policies/manifest/pipelines.ts';
import { namesIfAny } from '../../../state/disk/folder.ts';
import { readSessions } from '../../../state/sessions/sessions-file.ts';
import { projectState, STAGE_ID, TASK_ID } from '../../../state/task-folder.ts';
import { type Candidate, type CompletedCommand, completedCommands } from './table.ts';

/** @param before the words of the line so far, after the command's name. */
type Names = (before: readonly string[]) => Promise<Candidate[]>;

const bare = (word: string): Candidate => ({ word, about: '' });

/** No name begins with a dash, because it would be a flag. */
const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9._:+-]{0,127}$/;

const stateNow = (): string => projectState(process.cwd(), process.env);

const NAMED: Record<'task' | 'stage' | 'tool' | 'pipeline' | 'session', Names> = {
  task: async () =>
    namesIfAny(path.join(stateNow(), 'task'))
      .filter((name) => TASK_ID.test(name) && PLAIN.test(name))
      .sort()
      .map(bare),
  tool: async () => TOOLS.map(bare),
  pipeline: async () => Object.keys(PIPELINES).map(bare),
  async stage(before) {
    const word = before.find((each, i) => PLAIN.test(each) && !before[i - 1]?.startsWith('--'));
    if (word === undefined) return [];
    const read = await readTask({ word, cwd: process.cwd(), environment: process.env, trustWorkspace: false });
    if (read.how !== 'read') return [];
    return read.plans.map(({ stage }) => bare(stage.name)).filter((found) => STAGE_ID.test(found.word));
  },
  async session() {
    const sessions = await readSessions(stateNow(), () => new Date(), 'in_place');
    return sessions
      .entries()
      .flatMap(({ tag, tool, entry: { session_id } }) => [
        { word: tag, about: tool },
        { word: session_id ?? '', about: `${tool}, ${tag}` },
      ])
      .filter(({ word }) => PLAIN.test(word));
  },
};

/** @param typed the words of the line, the command first; the user is typing the last one, which may be ''. */
export async function candidatesFor(typed: readonly string[]): Promise<Candidate[]> {
  const [command = '', ...words] = joined(typed);
  const name = command.slice(command.lastIndexOf('/') + 1).replace(/\.sh$/, '');
  const table = completedCommands();
  if (name !== 'tollgate') return Object.hasOwn(table, name) ? ofCommand(table[name]!, words) : [];
  const [subcommand = '', ...rest] = words;
  if (rest.length === 0 || (subcommand === 'help' && rest.length === 1))
    return fitting(subcommandsIn(table), words.at(-1) ?? '');
  const full = `tollgate ${subcommand}`;
  return Object.hasOwn(table, full) ? ofCommand(table[full]!, rest) : [];
}

const subcommandsIn = (table: Record<string, CompletedCommand>): Candidate[] => [
  ...Object.entries(table).flatMap(([name, { about }]) => {
    const [, word] = /^tollgate (.+)$/.exec(name) ?? [];
    return word === undefined ? [] : [{ word, about }];
  }),
  { word: 'help', about: 'the help of a command' },
];

async function ofCommand({ flags, word: kind }: CompletedCommand, words: readonly string[]): Promise<Candidate[]> {
  const last = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  if (before.includes('--')) return ofKind(kind, last, before);
  const [, named, begun] = /^--([\w-]+)=(.*)$/s.exec(last) ?? [];
  if (named !== undefined) return valuesOf(named, flags[named], begun!, before, `--${named}=`);
  const open = /^--([\w-]+)$/.exec(before.at(-1) ?? '')?.[1];
  const row = open === undefined ? undefined : flags[open];
  if (row !== undefined && row.takes !== 'nothing' && row.takes !== 'number_if_any')
    return valuesOf(open!, row, last, before, '');
  if (!last.startsWith('-')) return ofKind(kind, last, before);
  const known = Object.entries(flags).map(([flag, { about }]) => ({ word: `--${flag}`, about }));
  return fitting(known, last);
}

/** @param prefix the flag and its `=`, if the value is in the same word. */
async function valuesOf(
  flag: string,
  row: CompletedCommand['flags'][string] | undefined,
  begun: string,
  before: readonly string[],
  prefix: string,
): Promise<Candidate[]> {
  const values = row?.choices?.map((word) => ({ word, about: '' })) ?? (await FLAG_KINDS[flag]?.(before)) ?? [];
  return fitting(values, begun).map(({ word, about }) => ({ word: `${prefix}${word}`, about }));
}

/** The values of flags that have the same meaning in every command. */
const FLAG_KINDS: Record<string, (before: readonly string[]) => Promise<Candidate[]>> = {
  ...{ task: NAMED.task, tool: NAMED.tool, tools: NAMED.tool, pipeline: NAMED.pipeline },
  redo: async (before) => [...(await NAMED.stage(before)), { word: 'all', about: 'each stage of the task' }],
  ...{ keep: NAMED.stage, stage: NAMED.stage, 'resume-session': NAMED.session },
};

async function ofKind(kind: CompletedCommand['word'], begun: string, before: readonly string[]): Promise<Candidate[]> {
  if (kind === null) return [];
  if (typeof kind === 'string') return fitting(await NAMED[kind](before), begun);
  return before.some((word) => !word.startsWith('-'))
    ? []
    : fitting(
        kind.map((word) => ({ word, about: '' })),
        begun,
      );
}

const fitting = (candidates: readonly Candidate[], begun: string): Candidate[] =>
  candidates.filter(({ word }) => word.startsWith(begun)).map(({ word, about }) => ({ word, about: firstPart(about) }));

/** A list shows one line for each. */
const firstPart = (about: string): string => about.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, 100);

/** bash passes `--stage=x` as three words. */
function joined(typed: readonly string[]): string[] {
  const words: string[] = [];
  for (const [i, word] of typed.entries()) {
    const isValue = typed[i - 1] === '=' && /^--[\w-]+$/.test(typed[i - 2] ?? '');
    if (word === '=' && /^--[\w-]+$/.test(words.at(-1) ?? '')) words.push('');
    else if (isValue) words[words.length - 1] = word;
    else words.push(word);
  }
  return words;
}
