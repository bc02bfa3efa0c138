// The skill for coding agents, as one of them reads it.

import { readFileSync } from 'node:fs';

export const SKILL = readFileSync('skills/tollgate/SKILL.md', 'utf8');

/** What its table says to do. @param text the skill, or something that holds it. */
export function rowOfClass(name: string, text = SKILL): string {
  const row = new RegExp(`^\\| \`${name}\` \\| [^|]* \\| (.*) \\|$`, 'm').exec(text);
  if (row === null) throw new Error(`the skill has no row for ${name}`);
  return row[1]!;
}

export const linesToType = (row: string): string[] => [...row.matchAll(/`(tollgate [^`]+)`/g)].map(([, line]) => line!);
