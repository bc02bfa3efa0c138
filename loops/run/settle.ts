// Settles a call that an earlier run left open: waits for its guardian, or judges what a dead one left on disk.

import path from 'node:path';
import { nextChange } from '../../state/change.ts';
import type { Journal } from '../../state/journal.ts';
import { type Call, openCalls } from '../../state/ledger.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { endTree, membersOf, type Tree } from '../../wrappers/processes/end-tree.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import { read } from '../../wrappers/reading.ts';
import type { Outcome } from '../../wrappers/run.ts';
import { closeAttempt } from '../call/attempt.ts';
import { endedOf, verdictFact } from '../call/call.ts';
import { wrapperExit } from '../call/exit.ts';
import { judge } from '../call/judge.ts';
import { publishAll } from '../call/publish.ts';
import { recordOf } from '../call/record.ts';
import { type Restored, restoreDraft } from '../call/saved-draft.ts';
import { localClock } from '../local-clock.ts';

export interface Settling {
  task: TaskFolder;
  journal: Journal;
  clock: () => Date;
  environment: NodeJS.ProcessEnv;
  stop: AbortSignal;
  /** What we wait for, in a sentence. */
  say(sentence: string): void;
}

export type Settled = { how: 'settled' } | { how: 'foreign'; message: string } | { how: 'stopped' };

/** Settles all that earlier runs left open. @returns why that is not possible from here, or null. */
export async function settleLeftovers(settling: Settling): Promise<string | null> {
  for (const open of openCalls(settling.journal.read().ledger)) {
    const settled = await settle(open, settling);
    if (settled.how === 'foreign') return settled.message;
  }
  return null;
}

/** How often a process is looked at; its death raises no event that could be awaited. */
const LOOK_MS = 250;
const FOREIGN_GRACE_MS = 3_600_000;

export async function settle(open: Call, settling: Settling): Promise<Settled> {
  const { journal, clock, stop, say } = settling;
  const { call_id, stage, guardian, deadline_at } = open.reserved;
  const self = (await identify(process.pid))!;
  for (let told = false; ; told = true) {
    if (journal.read().ledger.calls.get(call_id)?.verdict !== null) return { how: 'settled' };
    if (stop.aborted) return { how: 'stopped' };
    const life = await isAlive(guardian, self);
    if (life === 'dead') break;
    if (life === 'unknown') {
      if (clock().getTime() > Date.parse(deadline_at) + FOREIGN_GRACE_MS) break;
      const message = `stage ${stage} has a call running on ${guardian.host} (or in another container), which cannot be looked at from here; wait for it there, until ${deadline_at} and an hour at the latest`;
      return { how: 'foreign', message };
    }
    if (!told)
      say(`stage ${stage}: waiting for the call ${call_id} that an earlier run started (until ${deadline_at})`);
    await nextChange(journal.file, LOOK_MS, stop);
  }
  return settleDead(open, settling);
}

async function settleDead(open: Call, settling: Settling): Promise<Settled> {
  const { task, journal, clock, environment, stop, say } = settling;
  const { call_id, stage, deadline_at } = open.reserved;
  const restored = restoreDraft(path.join(task.attempts, call_id), task, environment, clock);
  if (restored === null) {
    journal.append({
      fact: 'verdict',
      call_id,
      class: 'transient',
      reason: 'interrupted',
      signature: null,
      retry_at: null,
      exit_code: 1,
    });
    return { how: 'settled' };
  }
  const tree: Tree = { root: rootOf(open), marker: restored.marker };
  for (let told = false; (await membersOf(tree)).length > 0; told = true) {
    if (stop.aborted) return { how: 'stopped' };
    if (clock().getTime() >= Date.parse(deadline_at)) break;
    if (!told)
      say(`stage ${stage}: the call ${call_id} lost its guardian and still works; waiting until ${deadline_at}`);
    await nextChange(restored.attempt.files.stdout, LOOK_MS, stop);
  }
  const orphans = await endTree(tree);
  await closeFromFiles(open, restored, orphans, journal);
  return { how: 'settled' };
}

async function closeFromFiles(
  open: Call,
  { draft, attempt, overlay }: Restored,
  orphans: number,
  journal: Journal,
): Promise<void> {
  const outcome = await outcomeOf(open, attempt.files, draft.request.adapter, orphans);
  draft.warnings.push('the wrapper died; this record was made afterwards from the files of its attempt');
  const { tool } = draft.request.adapter;
  const judgement = judge(outcome, {
    tool,
    taskId: draft.request.charge?.task.id ?? null,
    prompt: draft.prompt?.toString('utf8') ?? null,
    clock: localClock(draft.clock()),
  });
  const { verdict } = judgement;
  const exit = wrapperExit({ ...endedOf(draft.request.adapter, outcome, verdict), stoppedBy: null });
  const record = recordOf(draft, outcome, judgement, exit);
  const unpublished = publishAll(draft, attempt, record, outcome.capture.answer);
  if (unpublished !== null) throw new Error(unpublished);
  journal.append(verdictFact(record));
  closeAttempt(attempt, overlay, draft.request, 'published');
}

/** What can be known without having been there: the files, and how the guardian said that it ended, if it could. */
async function outcomeOf(
  open: Call,
  files: Restored['attempt']['files'],
  adapter: Restored['draft']['request']['adapter'],
  orphansKilled: number,
): Promise<Outcome> {
  const reading = read(files, adapter);
  await reading.finish();
  const capture = reading.capture();
  const told = capture.completed || capture.failure !== null;
  return {
    ending: open.ended?.ending ?? (told ? 'exited' : 'cancelled'),
    exitCode: open.ended?.native_exit_code ?? null,
    signal: (open.ended?.signal as NodeJS.Signals | null) ?? null,
    durationMs: 0,
    capture,
    errorLines: reading.errorLines(),
    stderrBytes: reading.stderrBytes(),
    orphansKilled,
    spawnError: null,
  };
}

function rootOf({ started }: Call): Tree['root'] {
  const cli = started?.cli ?? null;
  return cli === null ? null : { pid: cli.pid, startTime: cli.start_time, sinceMs: Number.NEGATIVE_INFINITY };
}
