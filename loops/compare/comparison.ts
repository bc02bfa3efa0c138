// Makes the tasks of a comparison, one for each variant, and keeps and finds what was compared.

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Variant } from '../../policies/manifest/variants.ts';
import type { ComparisonBudget } from '../../policies/report/comparison.ts';
import { oneLine } from '../../policies/text/display.ts';
import { jsonText, writeJson } from '../../state/atomic-file.ts';
import { entriesIn, makeFolders } from '../../state/disk/folder.ts';
import { readJsonIfFit, readRegularBytes } from '../../state/disk/regular-file.ts';
import type { Stage } from '../../state/project/manifest-schema.ts';
import { nameOf } from '../../state/project/stages.ts';
import type { ReadTask } from '../task/task.ts';
import { IS_ID } from '../tree/read-changes.ts';

/** `comparison.json`: what was compared, written before the first call. */
export interface Comparison {
  schema: 1;
  comparison_id: string;
  /** ISO. */
  at: string;
  /** The compared task; null for a prompt. */
  task_id: string | null;
  /** The commit from which every variant begins. */
  base: string;
  /** Whether a stage may change files, so that a variant that passes makes a commit on its branch. */
  writes: boolean;
  variants: (Variant & { task_id: string })[];
  budget: ComparisonBudget;
  /** Whether the user trusted the workspace, so that the command which resumes it does so too. */
  trusts: boolean;
  picked: { n: number; at: string } | null;
  removed: string | null;
}

export const resumeLine = ({ comparison_id: id, trusts }: Comparison, launcher: string): string =>
  `${launcher} compare --resume ${id}${trusts ? ' --trust-workspace' : ''}`;

/** What each variant gets. */
export type Compared =
  | { what: 'prompt'; text: string; access: 'read' | 'write'; acceptance: readonly string[] }
  /** `stages`: the names of those that the variants replace; empty for all. */
  | { what: 'task'; read: ReadTask; stages: readonly string[] };

/** @param state the project's `.tmp`. */
export const folderOf = (state: string, id: string): string => path.join(state, 'compare', id);

const fileOf = (state: string, id: string): string => path.join(folderOf(state, id), 'comparison.json');

export const newComparisonId = (at: Date): string =>
  `compare-${at.toISOString().replace(/\D/g, '').slice(0, 14)}-${randomBytes(2).toString('hex')}`;

export const keepComparison = (state: string, comparison: Comparison): Promise<void> =>
  writeJson(fileOf(state, comparison.comparison_id), comparison);

const LAST = 'last';
const MOST_OFFERED = 5;

/** @param word the id, or `last`. @returns a sentence if there is none. */
export function findComparison(state: string, word: string): Comparison | string {
  const known = comparisonIds(state);
  const read = (id: string) => {
    const kept = readJsonIfFit<Comparison>(fileOf(state, id));
    return kept !== null && isComparison(kept, id) ? kept : null;
  };
  // A folder of another name, or half of one, must not hide the others.
  const id =
    word === LAST ? (known.find((each) => read(each) !== null) ?? known[0]) : known.find((each) => each === word);
  if (id === undefined)
    return known.length === 0
      ? `there is no comparison in ${path.join(state, 'compare')}`
      : `there is no comparison "${word}"; the last ones are ${known.slice(0, MOST_OFFERED).join(', ')}`;
  const kept = read(id);
  if (kept !== null) return kept;
  return `${fileOf(state, id)} is not a comparison; remove its folder if you do not need it`;
}

/** An agent could have written the file: nothing of it may lead git, or us, elsewhere. */
const isComparison = ({ schema, comparison_id, at, base, variants, ...rest }: Comparison, id: string): boolean =>
  schema === 1 &&
  comparison_id === id &&
  typeof base === 'string' &&
  IS_ID.test(base) &&
  typeof at === 'string' &&
  typeof rest.budget?.calls === 'number' &&
  (rest.picked === null || typeof rest.picked?.n === 'number') &&
  (rest.removed === null || typeof rest.removed === 'string') &&
  Array.isArray(variants) &&
  variants.length > 0 &&
  variants.every((one, i) => one?.n === i + 1 && typeof one.name === 'string' && one.task_id === `${id}-${one.n}`);

/** The newest first: each id contains its time. */
export const comparisonIds = (state: string): string[] =>
  entriesIn(path.join(state, 'compare'))
    .filter((entry) => entry.isDirectory() && entry.name.startsWith('compare-'))
    .map(({ name }) => name)
    .sort()
    .reverse();

/** The manifest of one variant, as an object. @param share its part of the budget. */
export function variantManifest(
  compared: Compared,
  variant: Variant,
  taskId: string,
  share: ComparisonBudget,
): Record<string, unknown> {
  const budgets = {
    paid_call_budget: share.calls,
    ...(share.tokens === null ? {} : { max_tokens: share.tokens }),
    ...(share.usd === null ? {} : { max_usd: share.usd }),
  };
  if (compared.what === 'task') return manifestOfTask(compared, variant, taskId, budgets);
  const { text, access, acceptance } = compared;
  const stage = {
    ...calledBy(variant),
    // Only the gate of this role runs the acceptance commands.
    role: acceptance.length === 0 ? 'answer' : 'verify',
    id: 'answer',
    access,
    prompt: PROMPT_FILE,
    ...(acceptance.length === 0 ? {} : { on_fail: 'stop', requires: [] }),
  };
  return {
    task_id: taskId,
    goal: oneLine(text, MOST_OF_GOAL),
    worktree: true,
    stages: [stage],
    ...(acceptance.length === 0 ? {} : { acceptance: { commands: acceptance } }),
    budgets,
  };
}

const MOST_OF_GOAL = 200;

const PROMPT_FILE = 'prompt.md';

const PROMPT = `Do what the request says. If it asks a question, answer it. If it asks for a change, make the change in the working tree,
and end your answer with what you changed.
`;

const calledBy = ({ tool, model, account }: Variant) => ({
  tool,
  ...(model === null ? {} : { model }),
  ...(account === null ? {} : { account }),
});

function manifestOfTask(
  { read, stages }: Compared & { what: 'task' },
  variant: Variant,
  taskId: string,
  budgets: object,
): Record<string, unknown> {
  const { $schema: _, pipeline: __, ...manifest } = read.manifest;
  return {
    ...manifest,
    task_id: taskId,
    worktree: true,
    // A session of the compared task belongs to one CLI and to one tree.
    meta: {},
    stages: idsKept(manifest.stages).map(({ id, name, stage }) =>
      stages.length === 0 || stages.includes(name) ? replaced(stage, id, variant) : { ...stage, id },
    ),
    budgets: { ...manifest.budgets, ...budgets },
  };
}

/** A name that was made of the CLI would be wrong for another one; other names remain, since templates may contain them. */
function idsKept(stages: readonly Stage[]): { id: string; name: string; stage: Omit<Stage, 'name'> }[] {
  const taken = new Set<string>();
  return stages.map(({ name, ...stage }) => {
    const isMade = name === nameOf({ ...stage, id: undefined } as Stage);
    let id = isMade ? stage.role : name;
    for (let again = 2; taken.has(id); again++) id = `${isMade ? stage.role : name}-${again}`;
    taken.add(id);
    return { id, name, stage };
  });
}

/** Rules and models of the CLI that is replaced have no meaning for another one, and a fallback would compare something else. */
function replaced(stage: Omit<Stage, 'name'>, id: string, variant: Variant): Record<string, unknown> {
  const { tool, model, account: _, fallback: __, fallback_on: ___, allow_tool, ...others } = stage;
  const same = tool === variant.tool;
  return {
    ...others,
    id,
    ...(same && model !== undefined ? { model } : {}),
    ...(same && allow_tool !== undefined ? { allow_tool } : {}),
    ...calledBy(variant),
  };
}

/** Writes the folder of a variant's task. Throws what the operating system throws. */
export function writeVariant(root: string, manifest: Record<string, unknown>, compared: Compared): void {
  makeFolders(path.join(root, 'inputs', 'attachments'));
  const write = (name: string, text: string) => writeFileSync(path.join(root, name), text, { flag: 'wx', mode: 0o600 });
  if (compared.what === 'prompt') {
    write('inputs/user_request.md', compared.text);
    write(PROMPT_FILE, PROMPT);
  } else {
    // Its inputs, and its own prompts with what they include.
    copyFiles(compared.read.task.root, root, (name) => !NOT_COPIED.test(name));
  }
  // Written last: without it, the task is not complete.
  write('manifest.json', jsonText(manifest));
}

/** Links and special files are omitted: no prompt may contain them. */
function copyFiles(from: string, to: string, isMeant: (name: string) => boolean = () => true): void {
  for (const entry of entriesIn(from).filter(({ name }) => isMeant(name))) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) copyFiles(source, target);
    else if (entry.isFile()) copyFile(source, target);
  }
}

function copyFile(from: string, to: string): void {
  makeFolders(path.dirname(to));
  writeFileSync(to, readRegularBytes(from, MOST_BYTES), { mode: 0o600 });
}

/** As much as an attachment may have. */
const MOST_BYTES = 64 * 1024 * 1024;

const NOT_COPIED = /^(?:state|outputs|manifest\..*)$/;

/** The part of each variant; null if it would be less than one call. */
export function shareOf({ calls, tokens, usd }: ComparisonBudget, variants: number): ComparisonBudget | null {
  const share = {
    calls: Math.floor(calls / variants),
    tokens: tokens === null ? null : Math.floor(tokens / variants),
    usd: usd === null ? null : usd / variants,
  };
  return share.calls < 1 || share.tokens === 0 ? null : share;
}
