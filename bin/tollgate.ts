// Runs the command tollgate: one word selects the subcommand, and only that is loaded.

import { EXIT_BUG, EXIT_BY_SIGNAL, TOLLGATE_EXIT } from '../policies/facts/exit-codes.ts';
import { COMMANDS, namedTools } from '../policies/facts/tools.ts';
import { nearest } from '../policies/text/nearest.ts';
import { projectState, strayState } from '../state/task-folder.ts';
import { columns } from './columns.ts';
import { runCommand } from './command.ts';
import { HELP_FLAGS, VERSION_FLAGS } from './command-line.ts';
import { keptHelp } from './help/kept-help.ts';
import type { Ran } from './ran.ts';
import { SUBCOMMANDS } from './tollgate/subcommands.ts';
import { printVersion } from './version.ts';

const EXAMPLES: readonly (readonly [line: string, does: string])[] = [
  ['tollgate preflight', 'is the machine ready?'],
  ['tollgate run fix-login', 'the task in .tmp/task/fix-login'],
  ['tollgate run ./tasks/fix-login --json', 'one object on stdout, for another program'],
  ['tollgate status', 'what exists, and what runs'],
  ['tollgate budget fix-login --set 20', 'allow 20 paid calls'],
];

const EXITS: readonly (readonly [code: number | string, means: string])[] = [
  [TOLLGATE_EXIT.ok, 'done'],
  [TOLLGATE_EXIT.failure, 'a stage, a check or an awaited call failed, or a result could not be written'],
  [TOLLGATE_EXIT.badInput, 'usage, or a mistake in what was given; nothing was paid'],
  [Object.values(EXIT_BY_SIGNAL).join(', '), `stopped by ${Object.keys(EXIT_BY_SIGNAL).join(', ')}`],
  [EXIT_BUG, 'an internal error'],
];

async function run([word, ...rest]: readonly string[]): Promise<Ran> {
  if (word === undefined) return { exit: TOLLGATE_EXIT.badInput, err: usage() };
  if (HELP_FLAGS.includes(word)) return { exit: 0, out: usage() };
  if (VERSION_FLAGS.includes(word)) return printVersion(rest);
  if (word === 'help') return help(rest);
  if (rest.length === 1 && HELP_FLAGS.includes(rest[0]!)) return help([word]);
  const subcommand = subcommandOf(word);
  if (subcommand === undefined) return unknown(word);
  const stray = subcommand.writes ? strayState(projectState(process.cwd(), process.env), process.env) : null;
  if (stray !== null) return { exit: TOLLGATE_EXIT.badInput, err: `tollgate ${word}: ${stray}\n` };
  return (await subcommand.load()).run(rest);
}

const subcommandOf = (word: string) => (Object.hasOwn(SUBCOMMANDS, word) ? SUBCOMMANDS[word] : undefined);

/** Handles `tollgate help report`, and the wrappers, which have their own help. */
async function help(words: readonly string[]): Promise<Ran> {
  const [word, ...rest] = words.filter((each) => !each.startsWith('-'));
  if (word === undefined) return { exit: 0, out: usage() };
  if (rest.length > 0)
    return { exit: TOLLGATE_EXIT.badInput, err: `tollgate help: "${rest[0]}" is one word too many\n` };
  if (word === 'help') return { exit: 0, out: usage() };
  if (OTHERS.includes(word))
    return { exit: TOLLGATE_EXIT.badInput, err: `tollgate help: ${word} is a command of its own: ${word} --help\n` };
  const subcommand = subcommandOf(word);
  if (subcommand === undefined) return unknown(word);
  const kept = keptHelp(`tollgate ${word}`);
  return kept === null ? (await subcommand.load()).run(['--help']) : { exit: 0, out: kept };
}

const WRAPPERS: readonly string[] = Object.values(COMMANDS);
const OTHERS = [...WRAPPERS, 'wait_parallel_tasks'];

function unknown(word: string): Ran {
  const kind = word.startsWith('-') ? 'flag' : 'command';
  const near = nearest(word, [...Object.keys(SUBCOMMANDS), 'help', ...HELP_FLAGS, ...VERSION_FLAGS]);
  const hint = near === null ? 'tollgate --help lists the commands' : `did you mean ${near}?`;
  return { exit: TOLLGATE_EXIT.badInput, err: `tollgate: unknown ${kind} "${word}"; ${hint}\n` };
}

function usage(): string {
  const commands = Object.entries(SUBCOMMANDS).map(([name, { about }]) => [`tollgate ${name}`, about] as const);
  return `${[
    `Call the headless agent CLIs ${namedTools('and')} like a reliable function.`,
    '',
    'Commands:',
    ...columns(commands, '  '),
    '',
    'Examples:',
    ...columns(EXAMPLES, '  '),
    '',
    'Exit codes:',
    ...columns(EXITS, '  '),
    '',
    'tollgate help COMMAND, or COMMAND --help, says more; -V prints the version. The wrappers are commands of their own,',
    `with exit codes of their own: ${WRAPPERS.join(', ')}.`,
  ].join('\n')}\n`;
}

void runCommand({ name: 'tollgate', run, failure: TOLLGATE_EXIT.failure, badInput: TOLLGATE_EXIT.badInput });
