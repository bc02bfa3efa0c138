// What preflight does with --sweep: it clears up what killed processes left, and checks nothing else.

import { TOLLGATE_EXIT } from '../policies/facts/exit-codes.ts';
import type { PreflightReport } from '../preflight.ts';
import type { Arguments } from './command-line.ts';
import { renderRows } from './finding-table.ts';
import type { Ran } from './ran.ts';

export async function sweepCommand({ given }: Arguments, cwd: string, ink: 'colour' | 'plain'): Promise<Ran> {
  const { sweep } = await import('../loops/sweep/sweep.ts');
  const { findingsOf, summariseSwept } = await import('../loops/sweep/findings.ts');
  const { isUnswept } = await import('../loops/sweep/swept.ts');
  const swept = await sweep({
    cwd,
    environment: process.env,
    working: given.has('now') ? 'end' : 'wait',
    clock: () => new Date(),
  });
  const findings = findingsOf(swept);
  const report: PreflightReport = { schema: 1, ok: !swept.some(isUnswept), findings, swept };
  const which = given.has('quiet') ? 'problems' : 'all';
  const table = renderRows(findings, { which, ink });
  return {
    exit: report.ok ? TOLLGATE_EXIT.ok : TOLLGATE_EXIT.failure,
    out: given.has('json')
      ? `${JSON.stringify(report, null, 2)}\n`
      : `${table}${which === 'all' && table !== '' ? '\n' : ''}${summariseSwept(swept)}\n`,
  };
}

/** Why these flags do not go together, or null. */
export function sweepMistake(given: ReadonlySet<string>): string | null {
  if (!given.has('sweep')) return given.has('now') ? '--now goes with --sweep alone' : null;
  const other = ['tools', 'quick'].find((name) => given.has(name));
  return other === undefined ? null : `--sweep checks no CLI; leave --${other} out`;
}
