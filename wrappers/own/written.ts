// Reads the file in which a CLI was to write its answer.

import { readRegular } from '../../state/disk/regular-file.ts';
import type { Written } from './conclude.ts';

/** Anything in that place was paid for. */
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
