// Closes a call whose guardian died: waits for what still works of its tree, ends it in time, judges and publishes its files.

import path from 'node:path';
import { placeOf } from '../../policies/process-identity.ts';
import { nextChange } from '../../state/change.ts';
import type { Fact } from '../../state/facts.ts';
import type { Journal } from '../../state/journal.ts';
import type { Call } from '../../state/ledger.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import type { Adapter } from '../../wrappers/adapter.ts';
import { endTree, membersOf, type Tree } from '../../wrappers/processes/end-tree.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { read } from '../../wrappers/reading.ts';
import type { Outcome } from '../../wrappers/run.ts';
import { type Attempt, closeAttempt } from './attempt.ts';
import { contextOf, endedOf, verdictFact } from './call.ts';
import { wrapperExit } from './exit.ts';
import { judge } from './judge.ts';
import { publishAll } from './publish.ts';
import { recordOf } from './record.ts';
import { type Restored, restoreDraft, savedMarker } from './saved-draft.ts';

export interface Closing {
  task: TaskFolder;
  journal: Journal;
  clock: () => Date;
  environment: NodeJS.ProcessEnv;
  stop: AbortSignal;
  say(sentence: string): void;
}

const LOOK_MS = 250;

export async function closeDead(open: Call, closing: Closing): Promise<'settled' | 'stopped'> {
  const { task, journal, clock, environment, stop, say } = closing;
  const { call_id, stage, deadline_at } = open.reserved;
  const folder = path.join(task.attempts, call_id);
  const restored = restoreDraft(folder, task, environment, clock);
  const tree = await treeOf(open, folder);
  let ending: 'cancelled' | 'timed_out' = 'cancelled';
  for (let told = false; (await membersOf(tree)).length > 0; told = true) {
    if (stop.aborted) return 'stopped';
    if (clock().getTime() >= Date.parse(deadline_at)) {
      ending = 'timed_out';
      break;
    }
    if (!told)
      say(`stage ${stage}: the call ${call_id} lost its guardian and still works; waiting until ${deadline_at}`);
    await nextChange(path.join(folder, 'stdout'), LOOK_MS, stop);
  }
  const orphans = await endTree(tree);
  if (restored === null) journal.append(interrupted(call_id));
  else await closeFromFiles(open, restored, { ending, orphans }, journal);
  return 'settled';
}

/** Nothing is left that could be judged. */
const interrupted = (call_id: string): Fact => ({
  fact: 'verdict',
  call_id,
  class: 'transient',
  reason: 'interrupted',
  signature: null,
  retry_at: null,
  exit_code: 1,
});

interface Ended {
  ending: 'cancelled' | 'timed_out';
  orphans: number;
}

async function closeFromFiles(
  open: Call,
  { draft, attempt, overlay }: Restored,
  ended: Ended,
  journal: Journal,
): Promise<void> {
  const { adapter } = draft.request;
  const outcome = await outcomeOf(open, attempt.files, adapter, ended);
  draft.warnings.push('the wrapper died; this record was made afterwards from the files of its attempt');
  const judgement = judge(outcome, contextOf(draft));
  const exit = wrapperExit({ ...endedOf(adapter, outcome, judgement.verdict), stoppedBy: null });
  const record = recordOf(draft, outcome, judgement, exit);
  const unpublished = publishAll(draft, attempt, record, outcome.capture.answer);
  // A disk that is full is no bug: the call stays open, and the next run tries again.
  if (unpublished !== null) throw Object.assign(new Error(unpublished), { code: 'UNPUBLISHED' });
  journal.append(verdictFact(record));
  closeAttempt(attempt, overlay, draft.request, 'published');
}

/** What can be known without having been there: the files, and how the guardian said that it ended, if it could. */
export async function outcomeOf(
  open: Call,
  files: Attempt['files'],
  adapter: Adapter,
  { ending, orphans }: Ended,
): Promise<Outcome> {
  const reading = read(files, adapter);
  await reading.finish();
  const capture = reading.capture();
  const told = capture.completed || capture.failure !== null;
  return {
    ending: open.ended?.ending ?? (told ? 'exited' : ending),
    exitCode: open.ended?.native_exit_code ?? null,
    signal: (open.ended?.signal as NodeJS.Signals | null) ?? null,
    durationMs: null,
    sleptMs: 0,
    silent: false,
    capture,
    errorLines: reading.errorLines(),
    remarks: reading.remarks(),
    stderrBytes: reading.stderrBytes(),
    orphansKilled: orphans,
    spawnError: null,
  };
}

/** What a call started, by what its attempt's folder still tells. */
export async function treeOf(open: Call, folder: string): Promise<Tree> {
  // Without its draft the marker's outer part is not known, but the call's own id is.
  return { root: await rootOf(open), marker: savedMarker(folder) ?? open.reserved.call_id };
}

/** A number means nothing on another host, boot or container. */
async function rootOf({ started }: Call): Promise<Tree['root']> {
  const cli = started?.cli ?? null;
  const self = await identify(process.pid);
  if (cli === null || self === null || placeOf(cli, self) !== 'here') return null;
  return { pid: cli.pid, startTime: cli.start_time, sinceMs: Number.NEGATIVE_INFINITY };
}
