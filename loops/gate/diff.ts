// Checks whether the diff in an answer applies to the tree. It uses git, with our own git folder that no project can fill.

import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { GateReason } from '../../policies/facts/classes.ts';
import type { Finding } from '../../policies/facts/gate-record.ts';
import { type NextAction, toDo } from '../../policies/facts/next-action.ts';
import { diffOf, pathsOfDiff, prefixParts, recounted, strayPaths } from '../../policies/gate/unified-diff.ts';
import { writeAtomic } from '../../state/atomic-file.ts';
import { makeFolders } from '../../state/disk/folder.ts';
import { readHead } from '../../state/disk/regular-file.ts';
import { findBinary } from '../../wrappers/find-binary.ts';
import { HARMLESS, harmlessEnvironment, NO_FETCHING } from '../tree/run-git.ts';
import { withPrivateFolder } from './gate-folder.ts';
import type { GateRequest } from './gate-request.ts';
import { runPlain } from './plain-command.ts';

const MOST_NAMED = 10;

/** Writes the diff to `outputs/<stage>.patch`: in the form that applies, or as the answer has it if it does not apply. */
export async function checkDiff(request: GateRequest, answer: string): Promise<Finding | null> {
  const artifact = path.join(request.task.outputs, `${request.stage.name}.patch`);
  rmSync(artifact, { force: true });
  const diff = diffOf(answer);
  if (diff === null) return request.stage.may_be_empty ? null : noDiff(answer);
  await writeAtomic(artifact, diff);
  const stray = strayPaths(pathsOfDiff(diff));
  if (stray.length > 0) return leavesTree(stray);
  const git = findBinary('git', request.environment.PATH);
  if (git === null) return unchecked('git is not on the PATH');
  const mistakes: string[][] = [];
  for (const text of variantsOf(diff)) {
    // If a hunk's line count is too large, it hides what follows, so each variant has its own paths.
    const changedPaths = pathsOfDiff(text);
    const hidden = strayPaths(changedPaths);
    if (hidden.length > 0) return leavesTree(hidden);
    const known = new Set(changedPaths.flatMap(({ path: to, from }) => (from === undefined ? [to] : [to, from])));
    const ended = await tryDiff(
      request,
      git,
      ['--numstat', '-z', '--whitespace=nowarn', `-p${prefixParts(text)}`],
      text,
    );
    if (ended.how === 'stopped') return unchecked(ended.why);
    // We cannot check a path that git would touch and that we did not read.
    const unread = touched(ended.stdout).filter((file) => !known.has(file));
    if (ended.exitCode === 0 && unread.length > 0) return unclear(unread);
    if (ended.exitCode === 0) {
      if (text !== diff) await writeAtomic(artifact, text);
      return null;
    }
    mistakes.push(mistakesIn(ended.stderr));
  }
  return doesNotApply(mistakes[0]!, request.cwd);
}

/**
 * Returns the variants to try, in this order:
 * the diff as it is, for files with the same line ends;
 * the diff without the carriage returns, which may come from the answer's own lines;
 * both of these with corrected line counts.
 */
function variantsOf(diff: string): string[] {
  const asTold = [diff, diff.replaceAll('\r\n', '\n')];
  return [...new Set([...asTold, ...asTold.map(recounted)])];
}

/** Parses `1<tab>2<tab>path<nul>` for each file. */
const touched = (numstat: string): string[] =>
  numstat.split('\0').flatMap((row) => {
    const name = /^[-\d]+\t[-\d]+\t(.*)$/s.exec(row)?.[1];
    return name ? [name] : [];
  });

/** Removes line numbers, which differ between answers. */
function mistakesIn(stderr: string): string[] {
  const errorLines = stderr
    .split('\n')
    .flatMap((line) => /^(?:error|fatal): (?!while searching|patch failed)(.+)$/.exec(line)?.[1] ?? []);
  const mistakes = [
    ...new Set(errorLines.map((line) => line.replace(/ (?:at|on) line \d+.*| \(.*| <stdin>:\d+:.*/, ''))),
  ];
  return mistakes.length > 0 ? mistakes.slice(0, MOST_NAMED) : ['it is not a diff that git can read'];
}

const finding = (reason: GateReason, missing: string[], text: string, next_actions: NextAction[] = []): Finding => ({
  check: 'diff',
  class: 'contract_violation',
  reason,
  missing,
  text,
  next_actions,
});

const noDiff = (answer: string): Finding => {
  const found = /^[ \t]*\*\*\* Begin Patch[ \t\r]*$/m.test(answer)
    ? "a patch in codex's own form (*** Begin Patch)"
    : 'none';
  return finding('no_diff', ['a unified diff'], `the answer must hold a unified diff, and holds ${found}`);
};

const doesNotApply = (mistakes: string[], cwd: string) =>
  finding('diff_does_not_apply', mistakes, `the diff of the answer does not apply in ${cwd}: ${mistakes.join('; ')}`);

const unclear = (files: string[]) =>
  finding(
    'diff_unclear',
    files.slice(0, MOST_NAMED),
    `the diff touches files that its headers hide: ${files.slice(0, MOST_NAMED).join(', ')}`,
  );

const unchecked = (why: string) =>
  finding('diff_unchecked', ['a look at the diff'], `whether the diff applies could not be looked at: ${why}`, [
    toDo('install git, so that diffs can be checked'),
  ]);

const leavesTree = (paths: string[]): Finding => ({
  ...finding(
    'diff_leaves_tree',
    [...new Set(paths)].slice(0, MOST_NAMED),
    `the diff leaves the tree: ${[...new Set(paths)].slice(0, MOST_NAMED).join(', ')}`,
  ),
  class: 'scope_violation',
});

type GitEnd = { how: 'ended'; exitCode: number; stdout: string; stderr: string } | { how: 'stopped'; why: string };

const WALL_MS = 60_000;

const MAX_OUTPUT = 16 * 1024 * 1024;

/** Per stream. */
const MAX_READ = 1024 * 1024;

/** Runs git with an empty git folder, without settings, at `request.cwd`, whether or not the project uses git. */
function tryDiff(request: GateRequest, git: string, argv: string[], diff: string): Promise<GitEnd> {
  return withPrivateFolder(request, 'git', async ({ folder, marker }) => {
    const stdin = path.join(folder, 'input');
    writeFileSync(stdin, diff, { mode: 0o600 });
    const ended = await runPlain({
      command: git,
      argv: [...HARMLESS, 'apply', '--check', ...argv],
      cwd: request.cwd,
      environment: {
        ...harmlessEnvironment({ PATH: request.environment.PATH ?? '', HOME: folder }),
        ...NO_FETCHING,
        ...NO_SETTINGS,
        GIT_DIR: emptyGitFolder(folder),
        GIT_WORK_TREE: '.',
      },
      folder,
      name: 'git',
      stdin,
      marker,
      wallMs: WALL_MS,
      maxOutputBytes: MAX_OUTPUT,
      stop: request.stop,
    });
    if (ended.ending !== 'exited')
      return { how: 'stopped', why: ended.obstacle ?? `git ${ended.ending.replace('_', ' ')}` };
    const read = (file: string) => readHead(file, MAX_READ).text;
    return { how: 'ended', exitCode: ended.exitCode ?? 1, stdout: read(ended.stdout), stderr: read(ended.stderr) };
  });
}

const NO_SETTINGS = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_ATTR_NOSYSTEM: '1' };

/** The minimum that git accepts as a git folder. */
function emptyGitFolder(folder: string): string {
  const made = path.join(folder, 'none.git');
  for (const name of ['objects', 'refs']) makeFolders(path.join(made, name));
  writeFileSync(path.join(made, 'HEAD'), 'ref: refs/heads/none\n', { mode: 0o600 });
  return made;
}
