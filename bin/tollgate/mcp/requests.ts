// Converts a client's paid request to a run: the words of tollgate, and a hash that is the same for equal requests.

import { createHash } from 'node:crypto';
import path from 'node:path';
import { bookWanted, continueWanted, resumeWanted, wanted } from '../../../console/server/changes/begun.ts';
import type { WantedRun } from '../../../loops/report/carried-run.ts';
import { makeFolder } from '../../../state/disk/folder.ts';
import { realFolder } from '../../../state/disk/real-folder.ts';
import { publishText } from '../../../state/disk/replace-file.ts';
import { missingTask } from '../../../state/missing-task.ts';
import { locateTask, projectRoot, projectState } from '../../../state/task-folder.ts';
import type { Access } from '../../../wrappers/adapter.ts';
import { ACCESS, type ServerSettings } from './tool.ts';

/** @returns the run, or what is wrong with the request. */
export function taskWanted(
  { task, redo, keep, recheck }: Record<string, unknown>,
  { trustWorkspace }: ServerSettings,
): WantedRun | string {
  const id = String(task);
  const located = locateTask(id, process.cwd(), process.env);
  if (located.how === 'invalid') return located.message;
  if (located.folder.manifest === null) return missingTask(located.folder.root);
  const named = (flag: string, list: unknown) => (Array.isArray(list) ? list.map((stage) => `${flag}=${stage}`) : []);
  const stages = [...named('--redo', redo), ...named('--keep', keep), ...(recheck === true ? ['--recheck'] : [])];
  const argv = ['run', id, '--json', '--no-ci', ...stages, ...(trustWorkspace ? [TRUST] : [])];
  return wanted(id, id, argv);
}

/** The same run as the console's, so that each finds the other's. @returns the run, or what is wrong. */
export function supervisionWanted(task: string, server: ServerSettings): WantedRun | string {
  const located = locateTask(task, process.cwd(), process.env);
  if (located.how === 'invalid') return located.message;
  if (located.folder.manifest === null) return missingTask(located.folder.root);
  return continueWanted(['supervise', task], server);
}

/** The same run as the console's, of a book in the project, also behind links. @returns the run, or what is wrong. */
export function distillWanted(
  { book, name, prompt, model, via, max_calls: calls, max_usd: usd }: Record<string, unknown>,
  { trustWorkspace }: ServerSettings,
): WantedRun | string {
  const flags = flagsOf({ model, via, 'max-calls': calls, 'max-usd': dollars(usd) });
  const project = { cwd: process.cwd(), environment: process.env, trustWorkspace };
  if ((book === undefined) === (name === undefined))
    return 'give `book`, to begin one, or `name`, to continue one, and not both';
  if (name !== undefined) {
    if (prompt !== undefined || via !== undefined) return '`prompt` and `via` are chosen when a book is begun';
    return resumeWanted(String(name), project, flags);
  }
  const root = realFolder(projectRoot(project.cwd));
  const file = realFolder(path.resolve(String(book)));
  if (!file.startsWith(`${root}${path.sep}`)) return `the book is no file of this project: ${book}`;
  return bookWanted({ book: file, prompt: prompt === undefined ? null : String(prompt) }, project, flags);
}

/** @returns the run, or what is wrong with the request. */
export function callWanted(given: Record<string, unknown>, server: ServerSettings): WantedRun | string {
  const {
    cli,
    prompt,
    access = 'read',
    model,
    session,
    task,
    timeout_s: seconds,
    again,
    allow_commit: commits,
    max_tokens,
    max_usd,
    account,
    schema,
  } = given;
  if (ACCESS.indexOf(access as Access) > ACCESS.indexOf(server.access))
    return `this server lets whom it asks ${server.access} alone; who registers it may allow more (tollgate mcp --access ${access})`;
  const tool = String(cli);
  const form = schema === undefined ? undefined : JSON.stringify(schema);
  if (form !== undefined && form.length > MAX_SCHEMA)
    return `the schema has ${form.length} characters, and at most ${MAX_SCHEMA} are taken`;
  const flags = flagsOf({
    ...{ access, model, 'resume-session': session, task, account, 'max-tokens': max_tokens },
    ...{ 'max-usd': dollars(max_usd), 'json-schema': form },
  });
  const argv = [
    'call',
    tool,
    ...flags,
    ...(commits === true ? ['--allow-commit'] : []),
    '--json',
    ...(server.trustWorkspace ? [TRUST] : []),
  ];
  if (seconds !== undefined) argv.push(`--timeout-ms=${Number(seconds) * 1000}`);
  const asks = hashOf([argv, prompt]);
  return {
    ...{ what: 'ask', task: task === undefined ? null : String(task), tool, asks, argv },
    ...{ name: `ask.${tool}-${asks.slice(0, 16)}`, answeredBy: again === true ? 'running' : 'running_or_answered' },
    filesFor: (run) => path.join(projectState(process.cwd(), process.env), 'mcp', run),
    prepare(files) {
      makeFolder(files!);
      publishText(path.join(files!, 'prompt.md'), String(prompt));
    },
  };
}

/** A CLI may get it as one argument, for which Linux has 128 KiB. */
const MAX_SCHEMA = 100_000;

export const flagsOf = (values: Record<string, unknown>): string[] =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));

/** A flag takes no exponent. */
export const dollars = (amount: unknown): string | undefined =>
  amount === undefined ? undefined : Number(amount).toFixed(9);

export const TRUST = '--trust-workspace';

export const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');
