// Reports the figures of a torture, as lines to read or as a table for a document.

import { cpus } from 'node:os';
import { faultShim } from '../../test/rig/fault-shim.ts';
import { VIOLATIONS } from './invariants.ts';
import type { Round } from './round.ts';

export interface Figures {
  agents: 'fake' | 'real';
  seed: number;
  asked: number;
  rounds: number;
  /** Rounds with any violation. */
  bad: number;
  violations: Record<(typeof VIOLATIONS)[number], number>;
  /** Commands that were started; calls that were granted, noted as started, seen by the service, and answered completely. */
  runs: number;
  granted: number;
  started: number;
  begun: number;
  answered: number;
  struck: Record<string, number>;
}

export function figuresOf(
  rounds: readonly Round[],
  { asked, seed, agents }: Pick<Figures, 'asked' | 'seed' | 'agents'>,
): Figures {
  const sum = (of: (round: Round) => number) => rounds.reduce((total, round) => total + of(round), 0);
  const found = rounds.flatMap(({ violations }) => violations);
  const struck: Record<string, number> = {};
  for (const words of rounds.flatMap((round) => round.struck)) struck[words] = (struck[words] ?? 0) + 1;
  return {
    agents,
    seed,
    asked,
    rounds: rounds.length,
    bad: rounds.filter(({ violations }) => violations.length > 0).length,
    violations: Object.fromEntries(
      VIOLATIONS.map((name) => [name, found.filter(({ what }) => what === name).length]),
    ) as Figures['violations'],
    runs: sum(({ runs }) => runs),
    granted: sum(({ granted }) => granted),
    started: sum(({ started }) => started),
    begun: sum(({ begun }) => begun),
    answered: sum(({ answered }) => answered),
    struck,
  };
}

export function told(figures: Figures): string {
  const { rounds, asked, bad, violations, runs, granted, started, begun, answered, struck } = figures;
  const cut = rounds < asked ? ` of ${asked} (the time was over)` : '';
  const blind = faultShim() === null ? ['SKIPPED: no C compiler here, so no call of the system fails'] : [];
  return [
    ...blind,
    `${rounds} rounds${cut}, ${bad} bad: ${VIOLATIONS.map((name) => `${violations[name]} ${name}`).join(', ')}`,
    `${runs} commands; calls: ${granted} granted, ${started} started, ${begun} seen by the service, ${answered} answered`,
    `struck: ${Object.entries(struck)
      .sort(([, a], [, b]) => b - a)
      .map(([words, count]) => `${count} ${words}`)
      .join(', ')}`,
  ].join('\n');
}

/** Returns one row of the table in docs/figures.md. */
export function markdown({ agents, seed, rounds, violations, begun, granted }: Figures): string {
  const cells = [agents, seed, rounds, granted, begun, ...VIOLATIONS.map((name) => violations[name])];
  return [
    `| agents | seed | rounds | calls reserved | seen by the service | ${VIOLATIONS.join(' | ')} |`,
    `|${'---|'.repeat(cells.length)}`,
    `| ${cells.join(' | ')} |`,
    '',
    `Node ${process.versions.node}, ${process.platform}, ${cpus().length} cores.`,
  ].join('\n');
}
