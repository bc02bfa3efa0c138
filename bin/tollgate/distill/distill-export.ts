// Implements tollgate distill export: writes the book so far as one Markdown, text or PDF file. Ends if the console leaves.

import path from 'node:path';
import { renderInProcess } from '../../../loops/distill/export/render-export.ts';
import { distilledBook, writeExport } from '../../../loops/distill/export/write-export.ts';
import { openDistill } from '../../../loops/distill/open-run.ts';
import { EXPORT_FORMATS, type ExportFormat } from '../../../policies/distill/export/distilled-book.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { counted, visible } from '../../../policies/text/display.ts';
import { readArguments } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import type { Ran } from '../../ran.ts';

const SPEC: CommandSpec = {
  name: 'tollgate distill export',
  usage: 'NAME [--format md|txt|pdf] [--font FILE] [--trace] [--out FILE]',
  about:
    "Writes the sections so far as one file, named after the book, in the folder exports beside the live document: Markdown with front matter, text with a header, or a PDF with properties, bookmarks and page numbers. An earlier export of the same book is replaced, and no other file. Nothing in a model's text is fetched, opened or run.",
  flags: {
    format: { takes: 'choice', choices: EXPORT_FORMATS, default: 'md', about: 'the format' },
    font: { takes: 'texts', about: 'a TrueType or OpenType file for letters that Roboto lacks (repeatable)' },
    trace: { takes: 'nothing', about: 'append every turn and error from trace.jsonl' },
    out: {
      takes: 'text',
      about: 'the file to write; default: named after the book, in exports/ beside the live document',
    },
  },
  words: { min: 1, max: 1, called: 'NAME (tollgate distill status lists them)' },
  examples: [
    ['tollgate distill export republic --format pdf', 'to print'],
    ['tollgate distill export genji --format pdf --font NotoSansJP.ttf', 'for letters that the fonts lack'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'written'],
    [TOLLGATE_EXIT.failure, 'the file could not be written'],
    [
      TOLLGATE_EXIT.badInput,
      'no such distillation, no section yet, an unreadable font, or another file in the place of the export',
    ],
  ],
};

export async function exportBook(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { text, texts, given, words } = read.args;
  const opened = await openDistill(words[0]!, process.cwd(), process.env, () => new Date());
  if (opened.how === 'invalid') return refused(opened.message);
  const { folder, checkpoint, standing } = opened.open;
  if (standing.sections.length === 0)
    return refused(`${folder.name} has no section yet; tollgate distill status ${folder.name}`);
  const distilled = distilledBook(opened.open, given.has('trace'));
  const { lost } = distilled;
  if (distilled.sections.length === 0) return refused(`no section can be exported: ${lost}`);
  const requesterExit = requesterGone();
  const exported = await writeExport({
    render: (work) => renderInProcess(work, requesterExit),
    distilled,
    format: text.format as ExportFormat,
    fonts: texts.font ?? [],
    folder: path.join(checkpoint.out, 'exports'),
    out: text.out === undefined ? null : path.resolve(text.out),
    runFolder: folder.root,
  });
  if (exported.how === 'refused') return refused(exported.why);
  const { file, bytes, replaced } = exported;
  const { wanted } = standing;
  const notes = [
    ...(lost === null ? [] : [`omitted: ${lost}`]),
    ...(wanted.length === 0
      ? []
      : [`omitted: section ${wanted.join(', ')}, which tollgate distill resume ${folder.name} requests again`]),
    ...exported.notes,
  ];
  const sections = distilled.sections.length;
  if (given.has('json'))
    return {
      exit: 0,
      out: `${JSON.stringify({ schema: 1, name: folder.name, file, bytes, sections, replaced, notes })}\n`,
    };
  const line = `${file}: ${counted(sections, 'section')}, ${bytes} bytes${replaced ? ', in the place of an earlier export' : ''}`;
  const err = given.has('quiet') ? '' : notes.map((note) => `tollgate distill export: ${note}\n`).join('');
  return { exit: 0, out: `${visible(line)}\n`, err };
}

/** The console has a channel to this process. Without a channel, no process waits for the file. */
function requesterGone(): AbortSignal {
  const requesterExit = new AbortController();
  if (process.connected) {
    process.once('disconnect', () => requesterExit.abort());
    process.channel?.unref();
  }
  return requesterExit.signal;
}

const refused = (message: string): Ran => ({
  exit: TOLLGATE_EXIT.badInput,
  err: `tollgate distill export: ${message}\n`,
});
