// Reads a command's help as the build printed it: to print it again takes 80 ms, most of it for yargs.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** `short`: of a command with more than ten flags, only those that are used most. */
type HelpForm = 'short' | 'full';

export const HELP_WIDTHS: Record<HelpForm, number> = { short: 80, full: 110 };

/** @param command as in `tollgate run`. @returns null if help is printed again: too narrow a terminal, or no build. */
export function keptHelp(command: string, form: HelpForm): string | null {
  const width = HELP_WIDTHS[form];
  if ((process.stdout.columns || width) < width) return null;
  const folder = path.dirname(fileURLToPath(import.meta.url));
  try {
    return readFileSync(path.join(folder, 'help', keptFile(command, form)), 'utf8');
  } catch {
    return null;
  }
}

/** On a terminal with colours, the headings, the groups and the flags of a help are coloured. */
export async function colouredHelp(help: string, isTTY: boolean | undefined = process.stdout.isTTY): Promise<string> {
  if (isTTY !== true) return help;
  const { coloursOf, sheetFor } = await import('../sheet.ts');
  const { bold, cyan } = coloursOf(sheetFor({ isTTY }, process.env).ink);
  return help.replace(/^(?:[A-Z][a-z ]*:(?=$| )|[a-z]+(?= {2}))/gm, bold).replace(/^ {2,6}(?:-\w, )?--[\w-]+/gm, cyan);
}

export const keptFile = (command: string, form: HelpForm): string => `${command.replaceAll(' ', '-')}.${form}.txt`;
