// Shows a stage's prompt as it would be sent, before anything is paid, or names the stages whose answers it needs.

import { adapterOf } from '../../wrappers/adapters.ts';
import { beforeFirst } from '../stage/first-prompt.ts';
import { feedbackFor } from '../task/feedback.ts';
import type { RunContext } from '../task/run-context.ts';
import type { StagePlan } from '../task/stage-plan.ts';
import type { OpenTask } from '../task/task.ts';

export interface ShownPrompt {
  /** Redacted, and with the CLI's own syntax escaped; null if the prompt is not known yet. */
  text: string | null;
  /** The stages that still have to run, and whose answers the prompt will contain. */
  waits_for: string[];
}

export interface Showing {
  open: OpenTask;
  plan: StagePlan;
  context: RunContext;
  /** As it was composed. */
  text: string;
  /** The earlier stages that would be called. */
  before: readonly string[];
  /** The content at the start of a new session; null if a session is resumed. */
  fresh: { tag: string; overflowed: boolean } | null;
}

export async function showPrompt({ open, plan, context, text, before, fresh }: Showing): Promise<ShownPrompt> {
  const { stage, role } = plan;
  const waits_for = open.plans
    .filter((earlier) => before.includes(earlier.stage.name))
    .filter((earlier) => earlier.role.handsOff || role.reads.includes(earlier.stage.role))
    .map((earlier) => earlier.stage.name);
  if (waits_for.length > 0) return { text: null, waits_for };
  const withFeedback = `${feedbackFor({ open, stage }, text.length)}${text}`;
  const whole = fresh === null ? withFeedback : `${await beforeFirst({ open, stage, context }, fresh)}${withFeedback}`;
  const sent = adapterOf(stage.tool).prompt.escape(Buffer.from(whole).toString('latin1'));
  return { text: Buffer.from(sent, 'latin1').toString('utf8'), waits_for };
}
