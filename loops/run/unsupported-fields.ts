// Which fields of a manifest have no effect on its stages: the report says so.

import { unheeded } from '../task/own-flags.ts';
import type { OpenTask } from '../task/task.ts';

export function unsupportedFields({ manifest, plans }: Pick<OpenTask, 'manifest' | 'plans'>): string[] {
  const fields = unheeded(manifest.stages);
  const isUnused = manifest.acceptance.commands.length > 0 && !plans.some(({ role }) => role.runsAcceptance);
  return [
    ...(fields.length === 0 ? [] : [`this version does not act on: ${fields.join('; ')}`]),
    ...(isUnused
      ? [
          'acceptance.commands run after a stage with the role verify, and this task has none: only `--recheck` runs them',
        ]
      : []),
  ];
}
