// Implements tollgate logs: shows the output of a task's call, during the call or afterwards, without secrets.

import { type FollowedLine, followCalls } from '../../../loops/report/follow.ts';
import { stopExit, TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { shellWord, visible } from '../../../policies/text/display.ts';
import { JournalError } from '../../../state/journal/journal.ts';
import type { Call } from '../../../state/journal/ledger.ts';
import { missingTask } from '../../../state/missing-task.ts';
import { locateTask } from '../../../state/task-folder.ts';
import { readArguments, stopOnSignals } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import { fitting, printing, printResult } from '../../printing.ts';
import { badInputOf, type Ran } from '../../ran.ts';
import { coloursOf, sheetFor } from '../../sheet.ts';

const SPEC: CommandSpec = {
  name: 'tollgate logs',
  usage: 'TASK [-f] [--stage S] [--raw]',
  about:
    "Shows the output of a task's call: its answer, its tools and errors, and its stderr; of the running call, or else of the last one. Secrets are removed. Reads only.",
  flags: {
    follow: { short: 'f', takes: 'nothing', about: 'follow the output, from call to call, until the task ends' },
    stage: { takes: 'text', about: 'only calls of this stage' },
    raw: { takes: 'nothing', about: 'show the unchanged events of the CLI' },
  },
  words: { min: 1, max: 1, called: 'TASK (an id, or a path with a /)' },
  examples: [
    ['tollgate logs fix-login', 'the call under way, or the last one'],
    ['tollgate logs fix-login -f', 'continue until the task ends'],
    ['tollgate logs fix-login --stage codex_impl --json', 'a line of JSON for each line that was said'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'shown, or no call was made yet'],
    [TOLLGATE_EXIT.failure, 'the files of the call are gone, or hold secrets that are unknown here'],
    [TOLLGATE_EXIT.badInput, 'no such task or stage, or state that cannot be read'],
    ['130, 143', 'stopped by INT, TERM; the task continues'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const stop = stopOnSignals();
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { text, given, words } = read.args;
  const located = locateTask(words[0]!, process.cwd(), process.env);
  if (located.how === 'invalid') return invalid(located.message);
  const { folder: task } = located;
  let lost: string | null = null;
  let before = '';
  // Some CLIs end with the error that they have just reported.
  const isNew = ({ text }: FollowedLine) => {
    const isRepeated = text !== '' && text === before.replace(/^error: /, 'gives up: ');
    before = text;
    return !isRepeated;
  };
  const isTerminal = printing('stderr').isTTY === true;
  const speaker = isTerminal ? '' : `${SPEC.name}: `;
  const print = async (lines: readonly FollowedLine[]) => {
    const shown = given.has('json') ? lines.map(asJson) : lines.filter(isNew).map(asText);
    if (shown.length > 0) lost ??= await printResult(shown.join(''));
    return lost === null && !stop.aborted ? ('more' as const) : ('enough' as const);
  };
  let followed: Awaited<ReturnType<typeof followCalls>>;
  try {
    followed = await followCalls({
      task,
      stage: text.stage ?? null,
      until: given.has('follow') ? 'end' : 'now',
      events: given.has('raw') ? 'raw' : 'words',
      environment: process.env,
      stop,
      clock: () => new Date(),
      begin: (call, gate) => {
        if (given.has('quiet')) return;
        const paint = coloursOf(sheetFor(printing('stderr'), process.env).ink);
        printing('stderr').write(fitting(`${speaker}${paint.bold(titleOf(call, gate))}\n`, printing('stderr')));
      },
      take: print,
    });
  } catch (error) {
    if (error instanceof JournalError) return invalid(error.message);
    throw error;
  }
  if (followed.how === 'invalid') return invalid(followed.message);
  const { calls, missing, failed } = followed;
  const next = failed && !given.has('quiet') ? [`${isTerminal ? '\nNext' : 'next'}: tollgate explain ${words[0]}`] : [];
  if (calls === 0 && task.manifest === null) return invalid(missingTask(task.root));
  return {
    exit: stop.aborted ? stopExit(stop) : missing.length > 0 ? TOLLGATE_EXIT.failure : TOLLGATE_EXIT.ok,
    err: [
      ...missing,
      ...(calls === 0 ? [`no call of ${task.id} was made yet; \`tollgate run ${shellWord(task.id)}\` makes one`] : []),
      ...next,
    ]
      .map((sentence) => `${speaker}${sentence}\n`)
      .join(''),
    // A reader of lines that leaves has read enough. This includes JSON, because each line is complete.
    lost: lost === 'EPIPE' ? null : lost,
  };
}

function titleOf(
  { reserved, verdict }: Call,
  gate: { passed: boolean; class: string | null; reason: string | null } | null,
): string {
  const { call_id, stage, tool, attempt, at } = reserved;
  const state =
    verdict === null
      ? `running since ${at}`
      : verdict.class === null
        ? gate?.passed === false
          ? `answered, but its gate failed: ${gate.class} (${gate.reason})`
          : 'succeeded'
        : `${verdict.class} (${verdict.reason})`;
  return visible(`call ${call_id} of ${stage} (${tool}, attempt ${attempt}): ${state}`);
}

const asText = ({ of, text }: FollowedLine): string => `${of === 'stderr' ? 'stderr: ' : ''}${visible(text)}\n`;

const asJson = (line: FollowedLine): string => `${JSON.stringify(line)}\n`;

const invalid = badInputOf('tollgate logs');
