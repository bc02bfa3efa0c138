// Which versions of gemini send a tool's response twice when they resume a session, and which send it once.

import { compareVersions, TESTED_VERSIONS } from '../../../policies/manifest/tested-versions.ts';

/** Looked at in the requests that these versions sent; of those in between and beyond nobody can say. */
const REPLAYING_VERSIONS = [
  // They write no record of its own for a response.
  { from: '0.20.2', upTo: '0.40.0', doubles: false },
  // They replay the response that stands with its call, and then the record of its own too.
  { from: '0.45.2', below: TESTED_VERSIONS.gemini.below, doubles: true },
] as const;

/** null: of this version we do not know. */
export function doublesResponses(version: string | null): boolean | null {
  if (version === null) return null;
  const row = REPLAYING_VERSIONS.find((row) => {
    if (compareVersions(version, row.from) < 0) return false;
    return 'upTo' in row ? compareVersions(version, row.upTo) <= 0 : compareVersions(version, row.below) < 0;
  });
  return row?.doubles ?? null;
}
