// Builds the view of a distillation for status from its facts alone.

import { ANOMALY_PAUSES, PAUSES, type PauseReason, type PauseRow } from '../../policies/distill/pauses.ts';
import { type DistillStanding, shownState } from '../../policies/distill/standing.ts';
import { forUser, inOrder, type NextAction, toType } from '../../policies/facts/next-action.ts';
import { shellWord } from '../../policies/text/display.ts';
import type { DistillCheckpoint } from '../../state/distill/checkpoint.ts';
import type { DistillFolder } from '../../state/distill/run-folder.ts';

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

export function viewOf(viewed: Viewed): DistillView {
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
  return [resume('go on where it stopped')];
}

const MORE_CALLS = 20;
const RAISE = 'raise the limit by half, and go on where it stopped';
