// Which fields of a manifest this version reads but does not act on: the report says so.

import type { Manifest } from '../../state/project/manifest-schema.ts';
import { unheeded } from '../task/own-flags.ts';

export function unsupportedFields({ stages }: Manifest): string[] {
  const fields = unheeded(stages);
  return fields.length === 0 ? [] : [`this version does not act on: ${fields.join('; ')}`];
}
