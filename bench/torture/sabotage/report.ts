// What rounds of sabotage found, in figures and in words.

import path from 'node:path';
import type { Done, Evidence } from './evidence.ts';
import { INVARIANTS, type SabotageViolation } from './invariants.ts';

export interface SabotageRound {
  evidence: Evidence;
  violations: SabotageViolation[];
}

const NAMES = Object.keys(INVARIANTS) as (keyof typeof INVARIANTS)[];

export function sabotageFigures(rounds: readonly SabotageRound[]): Record<string, number> {
  const all = rounds.flatMap(({ violations }) => violations);
  return {
    rounds: rounds.length,
    bad: rounds.filter(({ violations }) => violations.length > 0).length,
    acts: rounds.reduce((sum, { evidence }) => sum + evidence.done.filter(({ place }) => place !== null).length, 0),
    commands: rounds.reduce((sum, { evidence }) => sum + evidence.commands.length, 0),
    calls: rounds.reduce((sum, { evidence }) => sum + evidence.seen.filter(({ what }) => what === 'begun').length, 0),
    ...Object.fromEntries(NAMES.map((name) => [name, all.filter(({ what }) => what === name).length])),
  };
}

export function sabotageTold(rounds: readonly SabotageRound[], asked: number): string {
  const { rounds: played, bad, acts, commands, calls, ...found } = sabotageFigures(rounds);
  const cut = played! < asked ? ` of ${asked} (the time was over)` : '';
  const counts = Object.entries(found).map(([name, count]) => `${count} ${name}`);
  return `${played} rounds${cut}, ${bad} bad: ${counts.join(', ')}\n${acts} things replaced; ${commands} commands, ${calls} calls seen by the service`;
}

/** One row of a table in docs/figures.md. */
export function sabotageMarkdown(rounds: readonly SabotageRound[], seed: number): string {
  const figures = { seed, ...sabotageFigures(rounds) };
  const names = Object.keys(figures);
  return [
    `| ${names.join(' | ')} |`,
    `|${'---|'.repeat(names.length)}`,
    `| ${Object.values(figures).join(' | ')} |`,
  ].join('\n');
}

/** What was replaced by what, and when. */
export const actTold = ({ act, place }: Done, project: string): string =>
  `${act.target} (${place === null ? 'nothing there' : path.relative(project, place)}) by ${act.by}, ${act.caller} ${act.moment}, salt ${act.salt}`;
