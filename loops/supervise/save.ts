// Saves the session of a supervision with a patch, and builds the commands that continue it elsewhere or later.

import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Change } from '../../policies/facts/gate-record.ts';
import { SAVE_SCHEMA, type SessionSave, saveMistake } from '../../policies/supervise/session-save.ts';
import { iterationCells } from '../../policies/supervise/supervise-text.ts';
import type { LeftHow } from '../../policies/supervise/supervision.ts';
import { shellWord } from '../../policies/text/display.ts';
import { readJson, writeAtomic, writeJson } from '../../state/atomic-file.ts';
import { readBytesIfFit, readIfFit } from '../../state/disk/regular-file.ts';
import { budgetOf } from '../../state/journal/ledger.ts';
import { keptText } from '../../state/supervise/texts.ts';
import { outputsOf, type TaskFolder } from '../../state/task-folder.ts';
import { spentOf } from '../../state/usage.ts';
import type { Composing } from '../task/prompt.ts';
import { stageFacts } from '../task/stage-facts.ts';
import type { OpenTask } from '../task/task.ts';
import { gitStand, wholeDiff } from './changes.ts';
import { type Part, type SuperviseCourse, shownText, standingOf } from './supervision-run.ts';

export const saveFileOf = ({ state }: TaskFolder): string => path.join(state, 'session_save.json');

/** Runs before the loop records that it was left. */
export async function saveSession(
  { task }: SuperviseCourse,
  how: LeftHow,
  why: string,
  changes: readonly Change[],
): Promise<SessionSave> {
  const { open, context } = task;
  const standing = standingOf(open);
  const { ledger } = open.journal.read();
  const patch = changes.length === 0 ? null : await wholeDiff(task);
  const patchFile = path.join(open.task.state, 'session_save.patch');
  if (patch !== null) await writeAtomic(patchFile, open.hide(patch));
  const { tokens, usd } = spentOf(open);
  const total = budgetOf(ledger);
  const sessions = { worker: sessionOf(open, 'worker'), reasoner: sessionOf(open, 'reasoner') };
  const save: SessionSave = {
    schema: SAVE_SCHEMA,
    task_id: open.task.id,
    saved_at: context.clock().toISOString(),
    how,
    why: open.hide(why),
    sessions,
    task: open.hide(open.manifest.goal),
    instruction: keptText(open.task, standing.instruction),
    instruction_sha256: standing.instruction,
    iterations: standing.iteration,
    progress: standing.rows.map((row) => iterationCells(row, shownText(open.task))),
    last_message: lastMessage(open),
    question: standing.question,
    changed_files: changes.map(({ path: at, how }) => ({ path: at, how, sha256: contentHash(open.tree, at) })),
    patch: patch === null ? null : patchFile,
    git: await standOf(open, context.environment),
    budget: { used: ledger.used, total, left: Math.max(0, total - ledger.used), tokens, usd },
    resume: resumeLine(task, sessions.worker.session_id),
    answer: how === 'parked' ? answerLine(task) : null,
  };
  await writeJson(saveFileOf(open.task), save);
  return save;
}

function lastMessage(open: OpenTask): string | null {
  const { tool } = open.plans.find(({ stage }) => stage.name === 'worker')!.stage;
  const { out } = outputsOf(open.task, { name: 'worker', tool });
  const said = readIfFit(out);
  return said === null ? null : open.hide(said).slice(0, MAX_MESSAGE);
}

/** Enough to see the state of the work; the whole text is in outputs/. */
const MAX_MESSAGE = 4000;

const sessionOf = ({ task, journal, plans }: OpenTask, part: Part) => {
  const { tool } = plans.find(({ stage }) => stage.name === part)!.stage;
  return { tool, session_id: stageFacts(task, journal.read().ledger, part, tool).session_id };
};

const MAX_HASHED_BYTES = 256 * 1024 * 1024;

export function contentHash(tree: string, at: string): string | null {
  const bytes = readBytesIfFit(path.join(tree, at), MAX_HASHED_BYTES);
  return bytes === null ? null : createHash('sha256').update(bytes).digest('hex');
}

export async function standOf(open: OpenTask, environment: NodeJS.ProcessEnv): Promise<SessionSave['git']> {
  const stand = await gitStand(open, environment);
  if (stand === null) return null;
  const { head, branch, status } = stand;
  return { head, branch, status: status === null ? null : createHash('sha256').update(status).digest('hex') };
}

/** @returns null if no session was saved. Does not throw because of the file's content. */
export async function readSave(
  task: TaskFolder,
  clock: () => Date,
): Promise<{ how: 'read'; save: SessionSave } | { how: 'invalid'; message: string } | null> {
  const file = saveFileOf(task);
  const read = await readJson<SessionSave>(file, clock, 'in_place');
  if (read.how === 'absent') return null;
  const why = read.how === 'read' ? saveMistake(read.value) : read.how === 'in_place' ? read.message : null;
  if (why === null && read.how === 'read') return { how: 'read', save: read.value };
  return {
    how: 'invalid',
    message: `${file}: ${why}; the journal has all that counts, so look at the tree and use --accept-tree to continue without it`,
  };
}

/** Names the worker's session, which users copy; the task if it has none, shares it, or a lookup would not find it. */
const resumeLine = (going: Composing, session: string | null): string => {
  const isShared = going.open.manifest.meta.feature !== undefined;
  const word = session !== null && isAtHome(going) && !isShared ? session : wordOf(going);
  return `${going.open.called.launcher} supervise --resume ${word}${trustOf(going)}`;
};

export const answerLine = (going: Composing): string =>
  `${going.open.called.launcher} answer ${wordOf(going)} "…"${trustOf(going)}`;

const isAtHome = ({ open: { task, stateFolder } }: Composing): boolean =>
  task.root === path.join(stateFolder, 'task', task.id);

const wordOf = (going: Composing): string =>
  shellWord(isAtHome(going) ? going.open.task.id : `${going.open.task.root}/`);

/** If the manifest grants trust, no flag is needed. */
const trustOf = ({ open }: Composing): string =>
  open.called.trusts && !open.manifest.security.trust_workspace ? ' --trust-workspace' : '';
