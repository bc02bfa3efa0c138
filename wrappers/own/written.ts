// What a CLI left where it was to write its answer.

import { readRegular } from '../../state/disk/regular-file.ts';
import type { Written } from './conclude.ts';

/** Whatever stands there was paid for, unless nothing does. */
export function writtenTo(file: string, maxBytes: number): Written {
  try {
    return { how: 'read', text: readRegular(file, maxBytes) };
  } catch (error) {
    const { code, why = `gives ${code}` } = error as NodeJS.ErrnoException & { why?: string };
    if (code === undefined) throw error;
    if (code === 'ENOENT') return { how: 'absent' };
    return code === 'EFBIG' ? { how: 'too_large' } : { how: 'unfit', why };
  }
}
