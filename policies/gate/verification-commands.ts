// Extracts the commands that a brief proposes.

import { fencesOf, linesOf } from '../text/markdown.ts';
import { sectionText } from '../text/sections.ts';

/** The commands of a brief's "Verification Commands": the lines of its shell blocks, else the code in its list. */
export function verificationCommands(answer: string): string[] {
  const section = sectionText(answer, 'Verification Commands');
  if (section === null) return [];
  const fenced = fencesOf(section).filter(({ language }) => SHELLS.has(language));
  const commands = fenced.length > 0 ? fenced.flatMap(({ body }) => commandsIn(body)) : listed(section);
  return [...new Set(commands)];
}

const SHELLS = new Set(['', 'sh', 'shell', 'bash', 'zsh', 'console', 'terminal', 'shell-session', 'text', 'txt']);

/** If any line has a prompt, lines without one are output. A backslash at the end of a line continues it. */
function commandsIn(body: string): string[] {
  const lines = body
    .replace(/\\\r?\n[ \t]*/g, ' ')
    .split(/\r?\n/)
    .map((line) => line.trim());
  const prompted = lines.some((line) => /^\$ /.test(line));
  return lines
    .filter((line) => !prompted || /^\$ /.test(line))
    .map((line) => line.replace(/^\$ +/, ''))
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** The first code span of each item. */
const listed = (section: string): string[] =>
  [...linesOf(section)].flatMap(({ text, kind }) => {
    const found = kind === 'text' ? /^\s*(?:[-*+]|\d{1,9}[.)])\s[^`]*`([^`]+)`/.exec(text)?.[1]?.trim() : undefined;
    return found ? [found.replace(/^\$ +/, '')] : [];
  });
