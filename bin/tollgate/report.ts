// tollgate report: how all tasks stand, and their failures by signature.

import { collectTasks } from '../../loops/report/collect.ts';
import { wholeDuration } from '../../policies/duration.ts';
import { TOLLGATE_EXIT } from '../../policies/exit-codes.ts';
import { type Ran, readArguments } from '../command.ts';
import type { CommandSpec } from '../command-line.ts';
import { renderMarkdown, renderText } from './report-page.ts';

const FORMATS = ['text', 'json', 'md'];

const SPEC: CommandSpec = {
  name: 'tollgate report',
  usage: '[DIR] [options]',
  about: 'Shows how all tasks stand, the last one first, and their failures: one line for one failure of many tasks.',
  flags: {
    format: { takes: 'choice', choices: FORMATS, about: 'how it is told', default: 'text' },
    since: { takes: 'text', about: 'only tasks in which something happened within this time, such as 24h or 7d' },
    failed: { takes: 'nothing', about: 'only tasks that have failed' },
  },
  words: { min: 0, max: 1, called: 'DIR' },
  examples: [
    ['tollgate report', 'the tasks in .tmp/task of this project'],
    ['tollgate report --failed --since 24h --format md', 'what failed today, as a page'],
    ['tollgate report ./tasks --json', 'one object, for another program'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'shown, whatever became of the tasks'],
    [TOLLGATE_EXIT.badInput, 'usage, or a folder that is not there'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { text, given, words } = read.args;
  const sinceMs = text.since === undefined ? null : wholeDuration(text.since);
  if (text.since !== undefined && sinceMs === null)
    return mistaken(`--since takes a duration such as 24h or 7d, not "${text.since}"`);
  if (given.has('json') && given.has('format') && text.format !== 'json')
    return mistaken(`--json and --format ${text.format} are two formats; leave one of them out`);
  const collected = await collectTasks({
    word: words[0] ?? null,
    cwd: process.cwd(),
    environment: process.env,
    sinceMs,
    which: given.has('failed') ? 'failed' : 'all',
    now: new Date(),
  });
  if (collected.how === 'mistaken') return mistaken(collected.message);
  const { report } = collected;
  if (given.has('json') || text.format === 'json') return { exit: 0, out: `${JSON.stringify(report)}\n` };
  return { exit: 0, out: text.format === 'md' ? renderMarkdown(report) : renderText(report) };
}

const mistaken = (message: string): Ran => ({ exit: TOLLGATE_EXIT.badInput, err: `tollgate report: ${message}\n` });
