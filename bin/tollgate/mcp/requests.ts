// Converts a client's paid request to a run: the words of tollgate, and a hash that is the same for equal requests.

import { createHash } from 'node:crypto';
import path from 'node:path';
import { continueWanted } from '../../../console/server/changes/begun.ts';
import type { WantedRun } from '../../../loops/report/carried-run.ts';
import { makeFolder } from '../../../state/disk/folder.ts';
import { publishText } from '../../../state/disk/replace-file.ts';
import { missingTask } from '../../../state/missing-task.ts';
import { locateTask, projectState } from '../../../state/task-folder.ts';
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
  return {
    ...{ what: 'run', task: id, tool: null, asks: hashOf(argv), argv },
    ...{ name: `run.${id}`, answeredBy: 'running' },
    filesFor: () => null,
    prepare: () => {},
  };
}

/**
 * Makes the same run as the console does, so that each of them finds the other's run.
 * @returns the run, or what is wrong with the request.
 */
export function supervisionWanted(task: string, server: ServerSettings): WantedRun | string {
  const located = locateTask(task, process.cwd(), process.env);
  if (located.how === 'invalid') return located.message;
  if (located.folder.manifest === null) return missingTask(located.folder.root);
  return continueWanted(['supervise', task], server);
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
  } = given;
  if (ACCESS.indexOf(access as Access) > ACCESS.indexOf(server.access))
    return `this server lets whom it asks ${server.access} alone; who registers it may allow more (tollgate mcp --access ${access})`;
  const tool = String(cli);
  const flags = Object.entries({ access, model, 'resume-session': session, task })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `--${name}=${value}`);
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

const TRUST = '--trust-workspace';

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');
