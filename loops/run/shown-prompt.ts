// A stage's prompt as it would be sent, for who looks before paying; or whose answers it waits for.

import { adapterOf } from '../../wrappers/adapters.ts';
import { beforeFirst } from '../stage-session/first-prompt.ts';
import { feedbackFor } from '../task/feedback.ts';
import type { RunContext } from '../task/run-context.ts';
import type { StagePlan } from '../task/stage-plan.ts';
import type { OpenTask } from '../task/task.ts';

export interface ShownPrompt {
  /** Redacted, and with what the CLI would take for its own escaped; null where it is not known yet. */
  text: string | null;
  /** Stages to run whose answers it will hold. */
  waits_for: string[];
}

export interface Showing {
  open: OpenTask;
  plan: StagePlan;
  context: RunContext;
  /** As it was composed. */
  text: string;
  /** Stages before it that would be called. */
  before: readonly string[];
  /** What a new session begins with; null where one is gone on with. */
  fresh: { tag: string; overflowed: boolean } | null;
}

export async function showPrompt({ open, plan, context, text, before, fresh }: Showing): Promise<ShownPrompt> {
  const { stage, role } = plan;
  const waits_for = open.plans
    .filter((earlier) => before.includes(earlier.stage.name))
    .filter((earlier) => earlier.role.handsOff || role.reads.includes(earlier.stage.role))
    .map((earlier) => earlier.stage.name);
  if (waits_for.length > 0) return { text: null, waits_for };
  const asked = `${feedbackFor({ open, stage }, text.length)}${text}`;
  const whole = fresh === null ? asked : `${await beforeFirst({ open, stage, context }, fresh)}${asked}`;
  const sent = adapterOf(stage.tool).prompt.escape(Buffer.from(whole).toString('latin1'));
  return { text: Buffer.from(sent, 'latin1').toString('utf8'), waits_for };
}
