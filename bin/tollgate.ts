// Runs the command tollgate: one word selects the subcommand, and only that is loaded.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { launcherIn } from '../loops/launcher.ts';
import { EXIT_BUG, EXIT_BY_SIGNAL, TOLLGATE_EXIT } from '../policies/facts/exit-codes.ts';
import { COMMANDS, namedTools, TOOLS } from '../policies/facts/tools.ts';
import { nearest } from '../policies/text/nearest.ts';
import { projectState, strayState } from '../state/task-folder.ts';
import { findBinary } from '../wrappers/find-binary.ts';
import { printVersion, runCommand } from './command.ts';
import { ALL_FLAG, HELP_FLAGS, VERSION_FLAGS } from './command-line.ts';
import { colouredHelp, keptHelp } from './help/kept-help.ts';
import type { Ran } from './ran.ts';
import { GROUPS, MOST_USED, SUBCOMMANDS } from './tollgate/subcommands.ts';
import { columns, wrapped } from './wrap.ts';

async function run([word, ...rest]: readonly string[]): Promise<Ran> {
  if (word === undefined) return { exit: TOLLGATE_EXIT.badInput, err: `${usage()}\n${nextStep()}` };
  if (HELP_FLAGS.includes(word)) return { exit: 0, out: await colouredHelp(usage(rest.includes(ALL_FLAG))) };
  if (VERSION_FLAGS.includes(word)) return printVersion(rest);
  if (word === 'help') return help(rest);
  if (rest.length === 1 && HELP_FLAGS.includes(rest[0]!)) return help([word]);
  const subcommand = subcommandOf(word);
  if (subcommand === undefined) return unknown(word);
  const stray = subcommand.writes ? strayState(projectState(process.cwd(), process.env), process.env) : null;
  if (stray !== null) return { exit: TOLLGATE_EXIT.badInput, err: `tollgate ${word}: ${stray}\n` };
  const ran = await (await subcommand.load()).run(rest);
  return subcommand.isPage ? { ...ran, isPage: true } : ran;
}

/** For a user who types the name alone, such as `npx tollgate` in an empty folder: what is missing, and the next command. */
function nextStep(): string {
  const launcher = launcherIn(process.env);
  const found = TOOLS.filter((tool) => findBinary(tool, process.env.PATH) !== null);
  if (found.length === 0)
    return `Next: none of ${namedTools('and')} is installed. \`${launcher} doctor\` gives the command that installs each; one is enough.\n`;
  if (existsSync(path.join(projectState(process.cwd(), process.env), 'task')))
    return `Next: \`${launcher} status\` shows the tasks of this project.\n`;
  return `Next: there is no task here. \`${launcher} init NAME --goal "…"\` creates one; \`${launcher} call ${found[0]} "PROMPT"\` needs none.\n`;
}

const subcommandOf = (word: string) => (Object.hasOwn(SUBCOMMANDS, word) ? SUBCOMMANDS[word] : undefined);

/** Handles `tollgate help report`, and the wrappers, which have their own help. */
async function help(words: readonly string[]): Promise<Ran> {
  const [word, ...rest] = words.filter((each) => !each.startsWith('-'));
  if (word === undefined) return { exit: 0, out: await colouredHelp(usage(words.includes(ALL_FLAG))) };
  if (rest.length > 0)
    return { exit: TOLLGATE_EXIT.badInput, err: `tollgate help: "${rest[0]}" is one word too many\n` };
  if (word === 'help') return { exit: 0, out: await colouredHelp(usage()) };
  if (OTHERS.includes(word))
    return { exit: TOLLGATE_EXIT.badInput, err: `tollgate help: ${word} is a command of its own: ${word} --help\n` };
  const subcommand = subcommandOf(word);
  if (subcommand === undefined) return unknown(word);
  const flags = words.filter((each) => each === ALL_FLAG || each === '--json');
  const name = `tollgate ${word}`;
  const kept = (flags.length === 0 ? keptHelp(name, 'short') : null) ?? keptHelp(name, 'full');
  return kept === null || flags.includes('--json')
    ? (await subcommand.load()).run(['--help', ...flags])
    : { exit: 0, out: await colouredHelp(kept) };
}

const WRAPPERS: readonly string[] = Object.values(COMMANDS);
const OTHERS = [...WRAPPERS, 'wait_parallel_tasks'];

function unknown(word: string): Ran {
  const kind = word.startsWith('-') ? 'flag' : 'command';
  const known = [...Object.keys(SUBCOMMANDS), 'help', ...HELP_FLAGS, ...VERSION_FLAGS];
  const near = (Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : null) ?? nearest(word, known);
  const hint = near === null ? 'tollgate --help lists the commands' : `did you mean ${near}?`;
  return { exit: TOLLGATE_EXIT.badInput, err: `tollgate: unknown ${kind} "${word}"; ${hint}\n` };
}

/** What users of other tools type. */
const SYNONYMS: Readonly<Record<string, string>> = {
  cost: 'budget',
  dashboard: 'console',
  limits: 'budget',
  list: 'status',
  log: 'logs',
  ls: 'status',
  new: 'init',
  ps: 'status',
  serve: 'console',
  show: 'explain',
  tail: 'logs -f',
  ui: 'console',
  web: 'console',
};

/** Fits a terminal of 24 lines and 80 columns; with `all`, each command has a line of its own. */
function usage(all = false): string {
  const commands = GROUPS.flatMap((group) => {
    const rows = Object.entries(SUBCOMMANDS).filter(([, row]) => row.group === group);
    const described = rows
      .filter(([name]) => all || MOST_USED.includes(name))
      .map(([name, { about }]) => [name, about]);
    const others = rows.map(([name]) => name).filter((name) => !described.some(([shown]) => shown === name));
    if (others.length > 0) described.push(['also', others.join(', ')]);
    return described.map(([name, about], i) => [i === 0 ? group : '', name!, about!] as const);
  });
  const { ok, failure, badInput } = TOLLGATE_EXIT;
  const more = all
    ? `Own help: ${WRAPPERS.join(', ')}.`
    : 'Flags: tollgate COMMAND --help. Every command: tollgate --help --all.';
  return `${[
    `Usage: tollgate COMMAND [options]${all ? '' : '   To begin: tollgate doctor'}`,
    ...columns(commands).map((line) => wrapped(line, 80)),
    '',
    `Exit codes: ${ok} done; ${failure} failed; ${badInput} bad input, nothing was paid; ${EXIT_BUG} internal error;`,
    `${Object.values(EXIT_BY_SIGNAL).join(', ')} stopped by ${Object.keys(EXIT_BY_SIGNAL).join(', ')}.`,
    more,
  ].join('\n')}\n`;
}

void runCommand({ name: 'tollgate', run, failure: TOLLGATE_EXIT.failure, badInput: TOLLGATE_EXIT.badInput });
