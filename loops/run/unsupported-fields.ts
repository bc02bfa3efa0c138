// Which fields of a manifest this version reads but does not act on: the report says so.

import type { Manifest } from '../../state/project/manifest-schema.ts';

export function unsupportedFields({ stages }: Manifest): string[] {
  const used: [field: string, isUsed: boolean][] = [
    ['stages[].effort (of a tool that is not codex)', stages.some(({ tool, effort }) => tool !== 'codex' && effort)],
  ].map(([field, isUsed]) => [field as string, Boolean(isUsed)]);
  const fields = used.filter(([, isUsed]) => isUsed).map(([field]) => field);
  return fields.length === 0 ? [] : [`this version does not act on: ${fields.join('; ')}`];
}
