// Implements tollgate distill sections and delete-section: lists the sections so far, and deletes one.

import { changeAtRest } from '../../../loops/distill/drive.ts';
import { type OpenDistill, openDistill, readableHistory } from '../../../loops/distill/open-run.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { visible } from '../../../policies/text/display.ts';
import { unreadableWords } from '../../../state/distill/turns.ts';
import { leaveWish } from '../../../state/distill/wishes.ts';
import { readArguments } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import type { Ran } from '../../ran.ts';
import { sheetOf } from '../../sheet.ts';
import { tableLines } from '../../table.ts';

const SECTIONS: CommandSpec = {
  name: 'tollgate distill sections',
  usage: 'NAME',
  about: 'Lists the sections of a distillation: number, title, characters, tokens, when.',
  flags: {},
  words: { min: 1, max: 1, called: 'NAME (tollgate distill status lists them)' },
  examples: [['tollgate distill sections republic --json', 'for another program']],
  exits: [
    [TOLLGATE_EXIT.ok, 'shown'],
    [TOLLGATE_EXIT.badInput, 'no such distillation'],
  ],
};

const DELETE: CommandSpec = {
  name: 'tollgate distill delete-section',
  usage: 'NAME SECTION [--ask-again]',
  about:
    'Removes a section from the document and from the history that is sent; turns/ keeps its answer. A running distillation does this between two sections.',
  flags: { 'ask-again': { takes: 'nothing', about: 'request it again in its place, with one more paid call' } },
  words: { min: 2, max: 2, called: 'NAME and SECTION (tollgate distill sections lists them)' },
  examples: [['tollgate distill delete-section republic 7 --ask-again', 'another answer in its place']],
  exits: [
    [TOLLGATE_EXIT.ok, 'deleted, or its driver has the request'],
    [TOLLGATE_EXIT.badInput, 'no such distillation or section'],
  ],
};

export async function sections(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SECTIONS, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const opened = await openDistill(read.args.words[0]!, process.cwd(), process.env, () => new Date());
  if (opened.how === 'invalid') return invalid('sections', opened.message);
  const { standing } = opened.open;
  if (read.args.given.has('json')) {
    const { name } = opened.open.folder;
    const rows = standing.sections.map(({ modelVersion, ...row }) => ({ ...row, model_version: modelVersion }));
    return { exit: 0, out: `${JSON.stringify({ schema: 1, name, sections: rows })}\n` };
  }
  if (standing.sections.length === 0) return { exit: 0, out: 'no section is there yet\n' };
  const rows = standing.sections.map(({ section, title, chars, tokens, at }) => [
    String(section),
    visible(title),
    String(chars),
    String(tokens),
    at,
  ]);
  return { exit: 0, out: `${tableLines(COLUMNS, rows, sheetOf(process.env)).join('\n')}\n` };
}

const COLUMNS = [
  { heading: 'SECTION' },
  { heading: 'TITLE', least: 20 },
  { heading: 'CHARACTERS', leaveOut: 1 },
  { heading: 'TOKENS' },
  { heading: 'ACCEPTED', leaveOut: 2 },
];

export async function deleteSectionOf(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(DELETE, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { words, given } = read.args;
  const [name, word] = words as [string, string];
  const section = /^\d{1,6}$/.test(word) ? Number(word) : 0;
  const clock = () => new Date();
  const opened = await openDistill(name, process.cwd(), process.env, clock);
  if (opened.how === 'invalid') return invalid('delete-section', opened.message);
  const { open } = opened;
  if (!hasSection(open, section))
    return invalid('delete-section', `${name} has no section ${word}; tollgate distill sections ${name} lists them`);
  const wish = { wish: 'delete', section, again: given.has('ask-again') } as const;
  const changed = await changeAtRest(open, wish, clock);
  if (changed === 'taken') leaveWish(open.folder, wish, clock());
  const after = wish.again ? `; tollgate distill resume ${name} asks for it again` : '';
  const message =
    changed === 'taken'
      ? `${name} is running, and deletes section ${section} before its next one`
      : `section ${section} is deleted${after}${othersLost(open, section)}`;
  if (given.has('json')) return { exit: 0, out: `${JSON.stringify({ schema: 1, name, section, message })}\n` };
  return { exit: 0, out: `${message}\n` };
}

/** Names other sections that are lost, because a later run refuses to continue with them. */
function othersLost({ folder, checkpoint, standing }: OpenDistill, deleted: number): string {
  const lost = readableHistory(folder, checkpoint, standing).lost.filter(({ section }) => section !== deleted);
  return lost.length === 0 ? '' : `; ${unreadableWords(folder, lost)}`;
}

const hasSection = ({ standing }: OpenDistill, section: number): boolean =>
  standing.sections.some((one) => one.section === section);

const invalid = (word: string, message: string): Ran => ({
  exit: TOLLGATE_EXIT.badInput,
  err: `tollgate distill ${word}: ${message}\n`,
});
