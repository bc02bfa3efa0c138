// A distillation as status shows it, from its facts alone.

import { ANOMALY_PAUSES, PAUSES, type PauseReason } from '../../policies/distill/pauses.ts';
import { type DistillStanding, shownState } from '../../policies/distill/standing.ts';
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
  next_actions: string[];
}

interface Viewed {
  folder: DistillFolder;
  checkpoint: DistillCheckpoint;
  standing: DistillStanding;
  document: string;
  calls: { used: number; total: number };
  driver: { host: string; elsewhere: boolean } | null;
  /** The answer that is held can be, were it accepted. */
  canBeKept: boolean;
}

export function viewOf({ folder, checkpoint, standing, document, calls, driver, canBeKept }: Viewed): DistillView {
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
    next_actions: driver?.elsewhere
      ? [`tollgate distill resume ${folder.name} --force takes it over, if ${driver.host} is gone`]
      : held !== null && reason !== null && Object.hasOwn(ANOMALY_PAUSES, reason) && !canBeKept
        ? [`tollgate distill resume ${folder.name} asks for section ${held.section} again; an empty answer is not kept`]
        : nextActions(folder.name, state, reason, halted?.evidence ?? ''),
  };
}

const drivenState = ({ host, elsewhere }: NonNullable<Viewed['driver']>): string =>
  elsewhere ? `driven elsewhere (${host})` : 'running';

function nextActions(name: string, state: string, reason: PauseReason | null, evidence: string): string[] {
  if (state === 'running') return [`tollgate distill pause ${name}`];
  if (state === 'complete') return [`tollgate distill export ${name}`];
  if (reason !== null) return [PAUSES[reason].next.replaceAll('NAME', name)];
  const budget = /^(time|token|money) budget reached/.exec(evidence)?.[1] as keyof typeof RAISED | undefined;
  return [`tollgate distill resume ${name}${budget === undefined ? '' : RAISED[budget]}`];
}

/** The time is of one run of the command; the others are of the whole. */
const RAISED = {
  time: '',
  token: ' --max-tokens N allows more',
  money: ' --max-usd N allows more',
} as const;
