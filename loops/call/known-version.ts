// Which version of its CLI a call is made with, known before it: by its package, by what it said before, or by asking it once.

import { keepsVersions, keepVersion, recallVersion } from '../../state/cli-versions.ts';
import { askVersion, versionOfPackage } from '../../wrappers/cli-version.ts';
import type { WrapperRequest } from '../attempt/request.ts';
import type { CallStop } from '../attempt/stop-request.ts';

/** null for one that says none, or that could not be kept: it is taken for the newest. */
export async function knownVersion(
  { adapter, call }: WrapperRequest,
  binary: string,
  stop: CallStop,
  nowMs: number,
): Promise<string | null> {
  const packaged = versionOfPackage(binary, adapter.packageName);
  if (packaged !== null || !keepsVersions(call.environment)) return packaged;
  const recalled = recallVersion(call.environment, binary, nowMs);
  if (recalled !== undefined || stop.by() !== null) return recalled ?? null;
  const stopped = new AbortController();
  void stop.asked.then(() => stopped.abort());
  const environment = { ...call.environment, ...adapter.environment(call) };
  const version = await askVersion(binary, { cwd: call.cwd, environment }, stopped.signal);
  if (stop.by() === null) keepVersion(call.environment, binary, version, nowMs);
  return version;
}
