// Reads, checks and saves the manifest of a task that exists: only over the version that the user saw, and never during a run.

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { approveFiles } from '../../../loops/guard/other-tasks.ts';
import { standingOf } from '../../../loops/report/task-state.ts';
import { judgeRegister } from '../../../state/calls/judge-register.ts';
import { ChangedError, sight, swapIfUnchanged } from '../../../state/compare-and-swap-file.ts';
import { readRegularBytes, UnfitFileError } from '../../../state/disk/regular-file.ts';
import { JournalError, openJournal } from '../../../state/journal/journal.ts';
import { projectState, type TaskFolder } from '../../../state/task-folder.ts';
import { identify } from '../../../wrappers/processes/identity.ts';
import type { Actions } from '../../contract/page.ts';
import type { ManifestShown } from '../../contract/task.ts';
import { answerWith, type Reply, refused, type ServedProject } from '../project.ts';
import { foundTask } from '../reads/task.ts';
import { redactorOfTask } from '../reads/texts.ts';
import { checked } from './drafts.ts';

/** A request with it has room for the signs that JSON writes with more bytes. */
const MAX_BYTES = 100_000;

const ELSEWHERE = 'use an editor of your own';

export async function manifestShown(id: string, project: ServedProject): Promise<Reply> {
  const found = manifestOf(id, project);
  if ('how' in found) return found;
  const { task, file, bytes, text } = found;
  const { redact } = await redactorOfTask(task.id, project);
  const shown = redact(text);
  const locked =
    shown !== text
      ? `it holds what looks like a secret, which no page shows; ${ELSEWHERE}`
      : (whyUnfit(bytes) ?? (await whyBusy(task, project)));
  return answerWith<ManifestShown>({ name: path.basename(file), text: shown, version: hashOf(bytes), locked });
}

export async function checkManifest(
  { task: id, text }: Actions['/api/manifest/check'],
  project: ServedProject,
): Promise<Reply> {
  const found = foundTask(id, project);
  return 'how' in found ? found : answerWith(await checked(found, text, project));
}

/** @returns what was done, as a sentence. */
export async function saveManifest(
  { task: id, text, version }: Actions['/api/manifest'],
  project: ServedProject,
): Promise<string | Reply> {
  const found = manifestOf(id, project);
  if ('how' in found) return found;
  const { task, file, bytes, seen } = found;
  const busy = await whyBusy(task, project);
  if (busy !== null) return refused(409, `${busy}; nothing was saved`, 'save it when the run has ended');
  const unfit = whyUnfit(bytes) ?? whyUnfit(Buffer.from(text));
  if (unfit !== null || seen === null) return refused(409, `${unfit ?? 'it is a link'}; nothing was saved`);
  if (hashOf(bytes) !== version) return refused(409, MEANWHILE, 'compare the two versions');
  try {
    swapIfUnchanged(seen, { how: 'replace', text });
  } catch (error) {
    if (error instanceof ChangedError) return refused(409, MEANWHILE, 'compare the two versions');
    throw error;
  }
  // This is the user's own change: no agent of another task that runs meanwhile is blamed for it.
  const { environment, cwd } = project;
  approveFiles(judgeRegister(environment, projectState(cwd, environment)), task.root, [path.basename(file)]);
  const { problems } = await checked(task, text, project);
  const rest = problems.length === 0 ? '' : `; a run refuses it as long as it has mistakes (${problems.length})`;
  return `The manifest of ${id} was saved${rest}.`;
}

const MEANWHILE = 'the manifest was changed by another program meanwhile; nothing was saved';

function manifestOf(id: string, project: ServedProject) {
  const task = foundTask(id, project);
  if ('how' in task) return task;
  const { manifest: file } = task;
  if (file === null) return refused(404, `${id} has no manifest`, `tollgate init ${id}`);
  try {
    // Seen before it is read: what changes in between is found when it is saved.
    const seen = sight(file);
    const bytes = readRegularBytes(file);
    return { task, file, seen, bytes, text: bytes.toString('utf8') };
  } catch (error) {
    if (error instanceof UnfitFileError) return refused(409, error.message, ELSEWHERE);
    throw error;
  }
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function whyUnfit(bytes: Buffer): string | null {
  if (bytes.length > MAX_BYTES) return `it has more than ${MAX_BYTES} bytes; ${ELSEWHERE}`;
  return isUtf8(bytes) ? null : `it is not UTF-8 text; ${ELSEWHERE}`;
}

/** A change during a run would count as one by the agent. */
async function whyBusy({ id, root }: TaskFolder, { clock }: ServedProject): Promise<string | null> {
  try {
    const { held } = await standingOf(openJournal(root, clock).read().ledger, (await identify(process.pid))!);
    return held === null ? null : `${id} is running: ${held}`;
  } catch (error) {
    if (error instanceof JournalError) return null;
    throw error;
  }
}
