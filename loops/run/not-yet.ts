// Which fields of a manifest are read but not acted on by this version: said in the report, never passed over in silence.

import type { Manifest } from '../../state/project/manifest-schema.ts';

export function notYet({ stages }: Manifest): string[] {
  const used: [field: string, isUsed: boolean][] = [
    ['stages[].effort (of a tool that is not codex)', stages.some(({ tool, effort }) => tool !== 'codex' && effort)],
  ].map(([field, isUsed]) => [field as string, Boolean(isUsed)]);
  const fields = used.filter(([, isUsed]) => isUsed).map(([field]) => field);
  return fields.length === 0 ? [] : [`this version does not act on: ${fields.join('; ')}`];
}
