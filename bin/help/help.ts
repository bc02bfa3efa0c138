// Prints a command's help from its table of flags (the only importer of yargs, loaded when help is requested).

import yargs from 'yargs';
import { type CommandSpec, type FlagRow, SHARED_FLAGS } from '../command-line.ts';
import { HELP_WIDTH } from './kept-help.ts';

export async function renderHelp(spec: CommandSpec): Promise<string> {
  const parser = yargs([])
    .scriptName(spec.name)
    .usage(`$0 ${spec.usage}\n\n${spec.about}`)
    .version(false)
    .help(false)
    .wrap(Math.min(HELP_WIDTH, process.stdout.columns || HELP_WIDTH));
  const flags: Record<string, FlagRow> = { ...spec.flags, ...SHARED_FLAGS };
  for (const [name, row] of Object.entries(flags)) {
    parser.option(name, {
      describe: row.about,
      ...(row.short === undefined ? {} : { alias: row.short }),
      ...(row.takes === 'nothing' ? {} : { type: YARGS_TYPE[row.takes], requiresArg: row.takes !== 'number_if_any' }),
      ...(row.choices ? { choices: row.choices } : {}),
      ...(row.default === undefined ? {} : { default: row.default }),
      ...(row.required ? { demandOption: true } : {}),
    });
  }
  for (const family of spec.families ?? []) parser.option(family.shown.slice(2), { describe: family.about });
  for (const [line, does] of spec.examples) parser.example(line, does);
  const exits = spec.exits.map(([code, means]) => `  ${`${code} `.padEnd(9)}${means}`).join('\n');
  parser.epilogue(`Exit codes:\n${exits}`);
  return `${await parser.getHelp()}\n`;
}

const YARGS_TYPE = {
  text: 'string',
  texts: 'array',
  choice: 'string',
  number: 'number',
  number_if_any: 'number',
} as const;
