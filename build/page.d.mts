// What the build of the console's page gives, for a test that builds one of its own.

import type { Metafile, Plugin } from 'esbuild';

export function pageOf(
  script: string,
  style: string,
  plugins?: readonly Plugin[],
): Promise<{ html: string; metafile: Metafile }>;
