// What is said before a call: who is called, and what the task has cost so far.

import { spentOf } from '../task/spent.ts';
import type { StageProgress } from './stage-progress.ts';

export function callAnnouncement({ run: { open, stage }, calls }: StageProgress): string {
  const own = open.plans.find((plan) => plan.stage.name === stage.name)?.stage;
  const model = own?.tool === stage.tool && stage.model !== own.model ? ` with ${stage.model ?? 'its own model'}` : '';
  const standIn = stage.tool === own?.tool && model === '' ? '' : `, ${stage.tool}${model} stands in`;
  const { used } = open.journal.read().ledger;
  const { tokens, usd } = spentOf(open);
  const cost = [`${used} paid so far`, tokens > 0 ? `${tokens} tokens` : '', usd > 0 ? `$${usd.toFixed(4)}` : ''];
  return `stage ${stage.name}: call ${calls + 1}${standIn} (${cost.filter(Boolean).join(', ')})`;
}
