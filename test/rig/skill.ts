// Reads the skill for coding agents as an agent does.

import { readFileSync } from 'node:fs';

export const SKILL = readFileSync('skills/tollgate/SKILL.md', 'utf8');

/**
 * The instruction of the skill's table for a class.
 * @param text the skill, or a text that contains it.
 */
export function rowOfClass(name: string, text = SKILL): string {
  const row = new RegExp(`^\\| \`${name}\` \\| [^|]* \\| (.*) \\|$`, 'm').exec(text);
  if (row === null) throw new Error(`the skill has no row for ${name}`);
  return row[1]!;
}

export const linesToType = (row: string): string[] => [...row.matchAll(/`(tollgate [^`]+)`/g)].map(([, line]) => line!);
