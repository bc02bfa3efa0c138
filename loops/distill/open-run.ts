// Opens an existing distillation: its checkpoint, its facts and its answers, and the process that drives it now.

import path from 'node:path';
import { isEmptyAnswer } from '../../policies/distill/anomalies.ts';
import { withoutMarker } from '../../policies/distill/completion.ts';
import type { DistillStanding } from '../../policies/distill/standing.ts';
import { foldStanding } from '../../policies/distill/standing.ts';
import { answerContent } from '../../policies/distill/turn-contents.ts';
import { StrangeStateError } from '../../state/disk/strange-state-error.ts';
import { type DistillCheckpoint, readCheckpoint } from '../../state/distill/checkpoint.ts';
import { type DistillFolder, locateDistill } from '../../state/distill/run-folder.ts';
import { turnOrNull, unreadableWords } from '../../state/distill/turns.ts';
import { type Journal, openJournal } from '../../state/journal/journal.ts';
import { budgetOf, type Ledger } from '../../state/journal/ledger.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import { launcherIn } from '../launcher.ts';
import { type BookHistory, openHistory } from './run/history.ts';
import { type DistillView, viewOf } from './view.ts';

export interface OpenDistill {
  folder: DistillFolder;
  checkpoint: DistillCheckpoint;
  journal: Journal;
  ledger: Ledger;
  standing: DistillStanding;
}

type OpenedDistill = { how: 'opened'; open: OpenDistill } | { how: 'invalid'; message: string };

export async function openDistill(
  name: string,
  cwd: string,
  environment: NodeJS.ProcessEnv,
  clock: () => Date,
): Promise<OpenedDistill> {
  const located = locateDistill(name, cwd, environment);
  if (located.how === 'invalid') return located;
  const { folder } = located;
  const read = await readCheckpoint(folder);
  if (read.how === 'invalid') return read;
  if (read.how === 'absent')
    return {
      how: 'invalid',
      message: `there is no distillation "${name}" at ${folder.root}; tollgate distill status lists them`,
    };
  const journal = openJournal(folder.root, clock);
  const { ledger } = journal.read();
  const standing = foldStanding(ledger.distilled).standing();
  return { how: 'opened', open: { folder, checkpoint: read.checkpoint, journal, ledger, standing } };
}

/** Returns `<book>.md` in the folder of the exports. A name of one of our own files in a run's folder gets a suffix. */
export function documentOf({ book, out }: Pick<DistillCheckpoint, 'book' | 'out'>): string {
  const name = path.basename(book, path.extname(book));
  return path.join(out, `${name}${name.toLowerCase() === 'prompt' ? '.distilled' : ''}.md`);
}

/**
 * Reads the conversation so far from the answers on disk, once, when a run begins. Throws StrangeStateError if an answer is gone.
 */
export function historyOf(
  folder: DistillFolder,
  checkpoint: DistillCheckpoint,
  standing: DistillStanding,
): BookHistory {
  const { history, lost } = readableHistory(folder, checkpoint, standing);
  if (lost.length > 0) throw new StrangeStateError(`${NOT_WITHOUT}: ${unreadableWords(folder, lost)}`);
  return history;
}

const NOT_WITHOUT = 'the history cannot be sent unchanged';

/** At rest, the readable answers are enough. `lost`: the unreadable ones. */
export function readableHistory(
  folder: DistillFolder,
  checkpoint: DistillCheckpoint,
  standing: DistillStanding,
): { history: BookHistory; lost: { turn: number; section: number }[] } {
  const lost: { turn: number; section: number }[] = [];
  const entries = standing.sections.flatMap(({ turn, section }) => {
    const kept = turnOrNull(folder, turn);
    if (kept === null) {
      lost.push({ turn, section });
      return [];
    }
    const text = withoutMarker(kept.answer.text, checkpoint.end_marker);
    return [{ section, request: kept.request, answer: answerContent(kept.answer), text }];
  });
  return { history: openHistory(entries, standing.file), lost };
}

/** Returns the process that drives it now; null if there is none. `elsewhere`: it cannot be looked up from here. */
export async function driverOf({ run }: Ledger): Promise<{ pid: number; host: string; elsewhere: boolean } | null> {
  if (run === null) return null;
  const self = (await identify(process.pid))!;
  const life = await isAlive(run.owner, self);
  return life === 'dead' ? null : { ...run.owner, elsewhere: life === 'unknown' };
}

export async function viewed({ folder, checkpoint, ledger, standing }: OpenDistill): Promise<DistillView> {
  const calls = { used: ledger.used, total: budgetOf(ledger) };
  const driver = await driverOf(ledger);
  const { held } = standing;
  const kept = held === null ? null : turnOrNull(folder, held.turn);
  const canBeKept = kept !== null && !isEmptyAnswer(kept.answer);
  const launcher = launcherIn(process.env);
  return viewOf({ folder, checkpoint, standing, document: documentOf(checkpoint), calls, driver, canBeKept, launcher });
}
