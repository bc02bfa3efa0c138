// Shows the menu for a broken conversation on a terminal (an importer of @clack/prompts, loaded when the menu is shown).

import { intro, isCancel, log, select } from '@clack/prompts';
import { healthLines, type SessionHealth } from '../../../loops/session/health.ts';
import { CHOICES, type Choice } from '../../../loops/session/recovery.ts';
import { printing } from '../../printing.ts';

const LABELS: Record<Choice, string> = {
  rollback: 'Deep rollback',
  clear: 'Clear turn',
  export: 'Export diagnostic',
  ignore: 'Ignore',
};

interface Shown {
  tool: string;
  sessionId: string;
  health: SessionHealth;
  /** What the service said; null if it is not known. */
  refusal: string | null;
}

/** @returns the user's choice; `ignore` if the user leaves the menu. Only for a terminal. */
export async function chooseRecovery({ tool, sessionId, health, refusal }: Shown): Promise<Choice> {
  const output = printing('stderr');
  intro(`${tool} ${sessionId}`, { output });
  log.info(healthLines(health, process.env, refusal).join('\n'), { output });
  const chosen = await select({
    message: 'How do you want to continue?',
    options: (Object.keys(CHOICES) as Choice[]).map((value) => ({
      value,
      // A hint would be shown for the marked choice alone.
      label: `${LABELS[value]}: ${CHOICES[value]}`,
    })),
    initialValue: health.flaws !== null && health.flaws.length > 0 ? 'clear' : 'rollback',
    output,
  });
  return isCancel(chosen) ? 'ignore' : (chosen as Choice);
}
