// Prints a command's help from its table of flags (the only importer of yargs, loaded when help is requested).

import yargs from 'yargs';
import { type CommandSpec, type FlagRow, SHARED_FLAGS } from '../command-line.ts';
import { wrapped } from '../wrap.ts';
import { HELP_WIDTHS } from './kept-help.ts';

export async function renderHelp(spec: CommandSpec, form: keyof typeof HELP_WIDTHS): Promise<string> {
  const columns = Math.min(HELP_WIDTHS[form], process.stdout.columns || HELP_WIDTHS[form]);
  const parser = yargs([])
    .scriptName(spec.name)
    .usage(`$0 ${spec.usage}\n\n${spec.about}`)
    .version(false)
    .help(false)
    .wrap(columns - 1);
  const every: Record<string, FlagRow> = { ...spec.flags, ...SHARED_FLAGS };
  const shown = form === 'short' && spec.common ? spec.common : Object.keys(every);
  for (const name of shown) {
    const row = every[name]!;
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
  const exits = spec.exits
    .map(([code, means]) => `  ${`${code} `.padEnd(9)}${form === 'short' ? means.split(/[;:] /)[0] : means}`)
    .join('\n');
  const pointer = `${spec.name} --help --all shows all ${Object.keys(every).length} flags, also --json and --quiet.`;
  const examples = exampleLines(form === 'short' ? spec.examples.slice(0, 2) : spec.examples, columns);
  const end = `Examples:\n${examples}\n\nExit codes:\n${wrapped(exits, columns)}${form === 'short' ? `\n\n${wrapped(pointer, columns)}` : ''}`;
  // yargs puts a type directly after a text that fills its line.
  const help = (await parser.getHelp()).replace(/(?<=[^\s[])\[(?=string|number|array|choices|default)/g, ' [');
  return `${help.trimEnd()}\n\n${end}\n`;
}

/** A command that is too long for its column has lines of its own, so that it is read and copied whole. */
function exampleLines(examples: CommandSpec['examples'], columns: number): string {
  const most = Math.floor(columns / 2) - 4;
  const column = Math.max(20, ...examples.map(([line]) => line.length).filter((length) => length <= most));
  const lines = examples.map(([line, does]) =>
    line.length <= column ? `  ${line.padEnd(column)}  ${does}` : `  ${line}\n  ${' '.repeat(column)}  ${does}`,
  );
  return wrapped(lines.join('\n'), columns);
}

const YARGS_TYPE = {
  text: 'string',
  texts: 'array',
  choice: 'string',
  number: 'number',
  number_if_any: 'number',
} as const;
