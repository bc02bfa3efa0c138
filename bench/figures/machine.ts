// On what it was measured: the machine, and the versions of all that stands on either side.

import { spawnSync } from 'node:child_process';
import { cpus, loadavg, release } from 'node:os';
import manifest from '../../package.json' with { type: 'json' };

/** Peers, each with what it is asked. */
const PEERS = [
  ['bash', '--version'],
  ['jq', '--version'],
  ['find', '--version'],
  ['tee', '--version'],
  ['chromium', '--version'],
] as const;

export interface Machine {
  /** ISO time. */
  at: string;
  tollgate: string;
  node: string;
  platform: string;
  cpus: number;
  cpu: string;
  /** At the start, over the last minute. */
  load: number;
  /** "none" for one that is not there. */
  peers: Record<string, string>;
}

export const machineNow = (): Machine => ({
  at: new Date().toISOString(),
  tollgate: manifest.version,
  node: process.version,
  platform: `${process.platform} ${release()}`,
  cpus: cpus().length,
  cpu: cpus()[0]?.model ?? 'unknown',
  load: loadavg()[0]!,
  peers: Object.fromEntries(PEERS.map(([name, flag]) => [name, versionOf(name, flag)])),
});

function versionOf(name: string, flag: string): string {
  const { stdout } = spawnSync(name, [flag], { encoding: 'utf8' });
  return /\d+(?:\.\d+)+/.exec(stdout ?? '')?.[0] ?? 'none';
}

export function describe({ at, tollgate, node, platform, cpus, cpu, load, peers }: Machine): string {
  const others = Object.entries(peers).map(([name, version]) => `${name} ${version}`);
  return `${at}, Tollgate ${tollgate}, node ${node}, ${others.join(', ')}, ${platform}, ${cpus} × ${cpu}, load ${load.toFixed(1)} at the start; medians of rounds in turns, as many as each part says`;
}
