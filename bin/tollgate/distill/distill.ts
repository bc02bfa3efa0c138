// Implements tollgate distill for long documents: the first word is a book to distill, or a command for a distillation.

import { existsSync } from 'node:fs';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { nearest } from '../../../policies/text/nearest.ts';
import { readArguments, stopOnSignals } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import type { Ran } from '../../ran.ts';
import { exportBook } from './distill-export.ts';
import { BOOK_FLAGS, RUN_FLAGS_OF_BOOK } from './distill-flags.ts';
import { deleteSectionOf, sections } from './distill-sections.ts';
import { status, wishFor } from './distill-status.ts';
import { driveBook } from './drive-book.ts';

const EXITS: CommandSpec['exits'] = [
  [TOLLGATE_EXIT.ok, 'the book is complete: it ends with the end marker'],
  [
    TOLLGATE_EXIT.failure,
    'paused, stopped or out of budget: status says why, and how to continue; or another process drives it',
  ],
  [
    TOLLGATE_EXIT.badInput,
    'usage, no book, an unreadable prompt, no key, or book or prompt have changed; nothing was paid',
  ],
  ['130, 143', 'stopped by INT, TERM; what was paid for is kept, and a second run continues'],
  [70, 'an internal error'],
];

const SPEC: CommandSpec = {
  name: 'tollgate distill',
  usage: 'BOOK [--prompt FILE] [options] | resume | pause | stop | status | sections | delete-section | export NAME',
  about:
    'Uploads a book (PDF, EPUB or text) to the Gemini API once, and distils it section by section. Each answer is on disk before the next one is paid. A run that was stopped, killed or paused continues where it ended. GEMINI_API_KEY holds the key, GOOGLE_GEMINI_BASE_URL another address. tollgate distill status --help describes the other commands.',
  flags: { ...BOOK_FLAGS, ...RUN_FLAGS_OF_BOOK },
  common: ['prompt', 'via', 'name', 'model', 'max-usd', 'max-calls', 'auto-wait', 'out'],
  words: { min: 1, max: 1, called: 'BOOK (or a word: resume, pause, stop, status, sections, delete-section, export)' },
  examples: [
    ['tollgate distill republic.epub', 'starts with the default prompt, or resumes where it stopped'],
    ['tollgate distill republic.epub --prompt distil.md', 'with your own instruction'],
    ['tollgate distill resume republic --accept', 'keeps an answer that was held after all, and continues'],
    ['tollgate distill resume republic --force', 'takes it over from a host that no longer exists'],
    ['tollgate distill pause republic', 'from another terminal: after the answer that is in flight'],
    ['tollgate distill delete-section republic 7 --ask-again', 'another answer in the place of one'],
    ['tollgate distill export republic --format pdf --trace', 'one file; --font FILE for letters that the fonts lack'],
    ['tollgate distill status', 'all books: sections, tokens, dollars, why one is paused'],
  ],
  exits: EXITS,
};

const RESUME: CommandSpec = {
  name: 'tollgate distill resume',
  usage: 'NAME [--accept] [options]',
  about: 'Continues a distillation where it stopped, with the same settings; flags given here apply from now on.',
  flags: {
    accept: { takes: 'nothing', about: 'keep the answer that is held; without this flag, it is requested again' },
    force: { takes: 'nothing', about: 'take it over from a host or container that no longer exists' },
    ...RUN_FLAGS_OF_BOOK,
  },
  common: ['accept', 'force', 'model', 'max-usd', 'max-calls', 'auto-wait', 'no-check', 'out'],
  words: { min: 1, max: 1, called: 'NAME (tollgate distill status lists them)' },
  examples: [
    ['tollgate distill resume republic', 'with the next section'],
    ['tollgate distill resume republic --max-usd 20', 'with more money'],
  ],
  exits: EXITS,
};

const OTHERS: Record<string, () => Promise<{ run(argv: readonly string[]): Promise<Ran> }>> = {
  pause: async () => wished('pause'),
  stop: async () => wished('stop'),
  status: async () => ({ run: status }),
  sections: async () => ({ run: sections }),
  export: async () => ({ run: exportBook }),
  'delete-section': async () => ({ run: deleteSectionOf }),
};

async function wished(wish: 'pause' | 'stop') {
  return { run: (argv: readonly string[]) => wishFor(wish, argv) };
}

export async function run(given: readonly string[]): Promise<Ran> {
  const argv = wordFirst(given);
  const [word, ...rest] = argv;
  const other = word !== undefined && Object.hasOwn(OTHERS, word) ? OTHERS[word]! : null;
  if (other !== null) return (await other()).run(rest);
  const resumes = word === 'resume';
  const near = resumes || word === undefined ? null : mistyped(word);
  if (near !== null) return { exit: TOLLGATE_EXIT.badInput, err: `tollgate distill: ${near}\n` };
  const stop = stopOnSignals();
  const read = await readArguments(resumes ? RESUME : SPEC, resumes ? rest : argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  return driveBook(read.args, resumes ? 'resume' : 'book', stop);
}

/** A flag without a value may come before the command word: `--json pause NAME` is not a book. */
function wordFirst(argv: readonly string[]): readonly string[] {
  const at = argv.findIndex((one) => one !== '--json');
  const word = argv[at];
  if (at < 1 || (word !== 'resume' && !Object.hasOwn(OTHERS, word!))) return argv;
  return [word!, ...argv.slice(0, at), ...argv.slice(at + 1)];
}

/** A book is a file. If the word is not a file, but resembles a command word, the user probably meant that command. */
function mistyped(word: string): string | null {
  const near = word.startsWith('-') || existsSync(word) ? null : nearest(word, [...Object.keys(OTHERS), 'resume']);
  return near === null ? null : `there is no file ${word}; did you mean tollgate distill ${near}?`;
}
