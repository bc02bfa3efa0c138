// Which version of its CLI a call is made with, known before it: by its package, by what it said before, or by asking it once.

import { keepsVersions, keepVersion, recallVersion } from '../../state/cli-versions.ts';
import { askVersion, versionOfPackage } from '../../wrappers/cli-version.ts';
import type { WrapperRequest } from '../attempt/request.ts';

/** null for one that says none, or that could not be kept: it is taken for the newest. */
export async function knownVersion(
  { adapter, call }: WrapperRequest,
  binary: string,
  stop: AbortSignal,
  nowMs: number,
): Promise<string | null> {
  const packaged = versionOfPackage(binary, adapter.packageName);
  const asking = adapter.described === undefined ? ['--version'] : adapter.described.row.version;
  // A script that knows no such flag might do its work.
  if (packaged !== null || asking === null || !keepsVersions(call.environment)) return packaged;
  const recalled = recallVersion(call.environment, binary, nowMs);
  if (recalled !== undefined || stop.aborted) return recalled ?? null;
  const environment = { ...call.environment, ...adapter.environment(call) };
  const version = await askVersion(binary, asking, { cwd: call.cwd, environment }, stop);
  if (!stop.aborted) keepVersion(call.environment, binary, version, nowMs);
  return version;
}
