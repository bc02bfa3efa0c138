// What stands under a heading of an answer, and the commands that a brief proposes there.

import { fencesOf, linesOf, unwrapped } from './markdown.ts';
import { type Heading, outlineOf, WEAK } from './outline.ts';
import { bookOf, keyOf } from './section-names.ts';

/**
 * The text of the first section of that name that has any, without its heading; null if there is none.
 * @param others names at which it ends, in whatever form they stand: of the other sections that were asked for.
 */
export function sectionText(answer: string, name: string, others: readonly string[] = []): string | null {
  const text = unwrapped(answer);
  const wanted = keyOf(name);
  let open: { from: number; heading: Heading } | null = null;
  const upTo = (to: number): string | null => {
    if (open === null) return null;
    const found = `${open.heading.found!.runIn}\n${text.slice(open.from, to)}`.trim();
    return found === '' ? null : found;
  };
  for (const { heading, from, to } of outlineOf(text, bookOf([name, ...others]))) {
    if (heading === null) continue;
    if (open !== null && !ends(heading, open.heading)) continue;
    const found = upTo(from);
    if (found !== null) return found;
    open = heading.found?.key === wanted ? { from: to, heading } : null;
  }
  return upTo(text.length);
}

/** A bold line ends what began with one; what is named ends everything but what it lies below. */
function ends(heading: Heading, open: Heading): boolean {
  if (heading.level < WEAK && open.level < WEAK) return heading.level <= open.level;
  return heading.level < WEAK || heading.found !== null || open.level === WEAK;
}

/**
 * The commands of a brief's section "Verification Commands", in their order: the lines of its shell blocks, else what is
 * marked as code in its list.
 */
export function verificationCommands(answer: string): string[] {
  const section = sectionText(answer, 'Verification Commands');
  if (section === null) return [];
  const fenced = fencesOf(section).filter(({ language }) => SHELLS.has(language));
  const commands = fenced.length > 0 ? fenced.flatMap(({ body }) => commandsIn(body)) : listed(section);
  return [...new Set(commands)];
}

const SHELLS = new Set(['', 'sh', 'shell', 'bash', 'zsh', 'console', 'terminal', 'shell-session', 'text', 'txt']);

/** Where any line has a prompt, those without one are output. A backslash at the end of a line carries it on. */
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

/** The first code mark of each item. */
const listed = (section: string): string[] =>
  [...linesOf(section)].flatMap(({ text, kind }) => {
    const found = kind === 'text' ? /^\s*(?:[-*+]|\d{1,9}[.)])\s[^`]*`([^`]+)`/.exec(text)?.[1]?.trim() : undefined;
    return found ? [found.replace(/^\$ +/, '')] : [];
  });
