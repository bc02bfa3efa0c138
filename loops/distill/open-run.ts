// Opens an existing distillation with its facts, answers and driving process, and builds its view for status.

import path from 'node:path';
import { isEmptyAnswer } from '../../policies/distill/anomalies.ts';
import { type DistillStanding, foldStanding, shownState } from '../../policies/distill/distillation.ts';
import { ANOMALY_PAUSES, PAUSES, type PauseReason, type PauseRow } from '../../policies/distill/pauses.ts';
import { answerContent, withoutMarker } from '../../policies/distill/turn-contents.ts';
import { forUser, inOrder, type NextAction, toType } from '../../policies/facts/next-action.ts';
import { shellWord } from '../../policies/text/display.ts';
import { StrangeStateError } from '../../state/disk/strange-state-error.ts';
import { type DistillCheckpoint, readCheckpoint } from '../../state/distill/checkpoint.ts';
import { type DistillFolder, locateDistill } from '../../state/distill/run-folder.ts';
import { turnOrNull, unreadableWords } from '../../state/distill/turns.ts';
import { type Journal, openJournal } from '../../state/journal/journal.ts';
import { budgetOf, type Ledger } from '../../state/journal/ledger.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import { launcherIn } from '../launcher.ts';
import { type BookHistory, openHistory } from './history.ts';

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
export function documentOf({ book, out }: DistillCheckpoint): string {
  const name = path.basename(book, path.extname(book));
  return path.join(out, `${name}${name.toLowerCase() === 'prompt' ? '.distilled' : ''}.md`);
}

/** Reads the conversation so far from the answers, once per run. Throws StrangeStateError if an answer is gone. */
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

export interface DistillView {
  schema: 1;
  name: string;
  /** `running`, `driven elsewhere (HOST)`, `complete`, `paused (refusal)`, `stopped`, `interrupted`, `open`. */
  state: string;
  reason: PauseReason | null;
  evidence: string;
  book: string;
  model: string;
  model_version: string | null;
  sections: number;
  wanted: readonly number[];
  held_section: number | null;
  tokens: number;
  estimated_tokens: number;
  usd: number;
  unpriced_answers: number;
  calls: { used: number; total: number };
  document: string;
  folder: string;
  next_actions: NextAction[];
}

interface Viewed {
  folder: DistillFolder;
  checkpoint: DistillCheckpoint;
  standing: DistillStanding;
  document: string;
  calls: { used: number; total: number };
  driver: { host: string; elsewhere: boolean } | null;
  /** Whether the held answer could be accepted. */
  canBeKept: boolean;
  /** The command that starts tollgate in the user's shell. */
  launcher: string;
}

function viewOf(viewed: Viewed): DistillView {
  const { folder, checkpoint, standing, document, calls, driver } = viewed;
  const { spent, halted, sections, wanted, held, modelVersion } = standing;
  const running = driver !== null;
  const state = running ? drivenState(driver) : shownState(standing, (reason) => PAUSES[reason]?.shown ?? reason);
  const reason = running ? null : (halted?.reason ?? null);
  return {
    schema: 1,
    name: folder.name,
    state,
    reason,
    evidence: running ? '' : (halted?.evidence ?? ''),
    book: checkpoint.book,
    model: checkpoint.model,
    model_version: modelVersion,
    sections: sections.length,
    wanted,
    held_section: held?.section ?? null,
    tokens: spent.tokens,
    estimated_tokens: spent.estimated,
    usd: Math.round(spent.usd * 1e6) / 1e6,
    unpriced_answers: spent.unpriced,
    calls,
    document,
    folder: folder.root,
    next_actions: nextActions(viewed, state),
  };
}

const drivenState = ({ host, elsewhere }: NonNullable<Viewed['driver']>): string =>
  elsewhere ? `driven elsewhere (${host})` : 'running';

function nextActions({ folder, driver, standing, calls, canBeKept, launcher }: Viewed, state: string): NextAction[] {
  const { held, halted, spent } = standing;
  const line = (...words: string[]) => [launcher, 'distill', ...words].join(' ');
  const name = shellWord(folder.name);
  const resume = (text: string, ...flags: string[]) => toType(text, line('resume', name, ...flags), 'pays');
  if (driver?.elsewhere) return [resume(`if ${driver.host} is gone, take it over`, '--force')];
  if (driver !== null) return [toType('pause it after the section that is under way', line('pause', name))];
  if (state === 'complete') return [toType('write it as one document', line('export', name))];
  const reason = halted?.reason ?? null;
  if (held !== null && reason !== null && Object.hasOwn(ANOMALY_PAUSES, reason) && !canBeKept)
    return [resume(`ask for section ${held.section} again; an empty answer is not kept`)];
  if (reason !== null)
    return inOrder(
      (PAUSES[reason].next as PauseRow['next']).map(({ text, flag }) =>
        flag === '--max-calls'
          ? forUser('budget', resume(text, `${flag} ${calls.total + MORE_CALLS}`))
          : flag === '--accept'
            ? forUser('gate', resume(text, flag))
            : resume(text),
      ),
    );
  const budget = /^(time|token|money) budget reached/.exec(halted?.evidence ?? '')?.[1];
  if (budget === 'token')
    return inOrder([forUser('budget', resume(RAISE, `--max-tokens ${Math.ceil(spent.tokens * 1.5)}`))]);
  if (budget === 'money')
    return inOrder([forUser('budget', resume(RAISE, `--max-usd ${Math.ceil(spent.usd * 150) / 100}`))]);
  return [resume('continue where it stopped')];
}

const MORE_CALLS = 20;

const RAISE = 'raise the limit by half, and continue where it stopped';
