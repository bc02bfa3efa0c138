// Implements tollgate triage --lint: checks the rows of tollgate.yaml, and the built-in ones.

import path from 'node:path';
import { localClock } from '../../../loops/local-clock.ts';
import { readOwnRules } from '../../../loops/report/triage.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { RULES } from '../../../policies/rules/rules.ts';
import { counted } from '../../../policies/text/display.ts';
import { levelOf, lintRules, sentenceOf } from '../../../policies/verdict/lint.ts';
import type { Arguments } from '../../command-line.ts';
import { badInputOf, type Ran } from '../../ran.ts';

interface Finding {
  level: 'error' | 'warning';
  /** `unfit`: tollgate.yaml is invalid, so no row of it could be checked. */
  fact: ReturnType<typeof lintRules>[number]['fact'] | 'unfit';
  /** The id of the row; null if the mistake is not in a row. */
  row: string | null;
  of: 'project' | 'tollgate';
  /** null for a built-in row. */
  file: string | null;
  line: number | null;
  message: string;
}

export async function lintHere({ words, given }: Arguments, cwd: string): Promise<Ran> {
  const other = [...given].find((flag) => !['lint', 'json', 'quiet'].includes(flag));
  if (words.length > 0 || other !== undefined)
    return invalid(`--lint looks at rows alone; leave ${words[0] ?? `--${other}`} out`);
  const own = await readOwnRules(cwd);
  if (own.how === 'invalid' && own.kind === 'unreadable') return invalid(own.message);
  const findings = own.how === 'read' ? findingsOf(own, cwd) : unfit(own, cwd);
  const errors = findings.filter(({ level }) => level === 'error').length;
  const counts = {
    own: own.how === 'read' ? own.rules.length : null,
    built_in: RULES.length,
    errors,
    warnings: findings.length - errors,
  };
  return {
    exit: errors === 0 ? TOLLGATE_EXIT.ok : TOLLGATE_EXIT.failure,
    out: given.has('json') ? `${JSON.stringify({ schema: 1, ...counts, findings })}\n` : render(findings, counts),
  };
}

function findingsOf(own: Extract<Awaited<ReturnType<typeof readOwnRules>>, { how: 'read' }>, cwd: string): Finding[] {
  return lintRules(own.rules, RULES, localClock(new Date())).map((found) => {
    const isOwn = found.owner === 'project' && own.file !== null;
    return {
      level: levelOf(found),
      fact: found.fact,
      row: found.row.id,
      of: found.owner,
      file: isOwn ? path.relative(cwd, own.file!) : null,
      line: isOwn ? own.lineOf(found.row) : null,
      message: sentenceOf(found),
    };
  });
}

/** Each line of the message begins with the file and the line number. */
function unfit(
  { message, file }: Extract<Awaited<ReturnType<typeof readOwnRules>>, { how: 'invalid' }>,
  cwd: string,
): Finding[] {
  return message.split('\n').map((one) => {
    const [, line, what] = /^:(\d+): (.*)$/.exec(one.slice(file!.length)) ?? [null, null, one];
    const about = { level: 'error', fact: 'unfit', row: null, of: 'project' } as const;
    return { ...about, file: path.relative(cwd, file!), line: line && Number(line), message: what! } as Finding;
  });
}

interface Counts {
  /** null if they could not be checked. */
  own: number | null;
  built_in: number;
  errors: number;
  warnings: number;
}

function render(findings: readonly Finding[], { own, built_in, errors, warnings }: Counts): string {
  const lines = findings.map(
    ({ file, line, level, message }) => `${file === null ? 'built in' : `${file}:${line}`}: ${level}: ${message}`,
  );
  const looked =
    own === null
      ? 'The rows were not looked at'
      : `${counted(own, 'row')} of tollgate.yaml, ${counted(built_in, 'built-in row')}`;
  return `${[...lines, `${looked}: ${counted(errors, 'error')}, ${counted(warnings, 'warning')}.`].join('\n')}\n`;
}

const invalid = badInputOf('tollgate triage');
