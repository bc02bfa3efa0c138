// Finds the parts of a line of code by its language (the only module that uses CodeMirror's modes): a bundle that diffs load.

import { c, cpp, csharp, java, kotlin } from '@codemirror/legacy-modes/mode/clike';
import { css, sCSS } from '@codemirror/legacy-modes/mode/css';
import { go } from '@codemirror/legacy-modes/mode/go';
import { json, typescript } from '@codemirror/legacy-modes/mode/javascript';
import { python } from '@codemirror/legacy-modes/mode/python';
import { ruby } from '@codemirror/legacy-modes/mode/ruby';
import { rust } from '@codemirror/legacy-modes/mode/rust';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import { standardSQL } from '@codemirror/legacy-modes/mode/sql';
import { toml } from '@codemirror/legacy-modes/mode/toml';
import { html, xml } from '@codemirror/legacy-modes/mode/xml';
import { yaml } from '@codemirror/legacy-modes/mode/yaml';
import { type StreamParser, StringStream } from '@codemirror/streamparser';

const LANGUAGES: ReadonlyMap<string, StreamParser<unknown>> = new Map(
  [
    { language: typescript, endings: 'ts tsx mts cts js jsx mjs cjs' },
    { language: json, endings: 'json jsonl json5 map' },
    { language: yaml, endings: 'yaml yml' },
    { language: python, endings: 'py pyi' },
    { language: go, endings: 'go' },
    { language: rust, endings: 'rs' },
    { language: java, endings: 'java' },
    { language: kotlin, endings: 'kt kts' },
    { language: csharp, endings: 'cs' },
    { language: c, endings: 'c h' },
    { language: cpp, endings: 'cc cpp cxx hh hpp' },
    { language: shell, endings: 'sh bash zsh' },
    { language: ruby, endings: 'rb' },
    { language: css, endings: 'css' },
    { language: sCSS, endings: 'scss' },
    { language: html, endings: 'html htm vue svelte' },
    { language: xml, endings: 'xml svg' },
    { language: standardSQL, endings: 'sql' },
    { language: toml, endings: 'toml' },
  ].flatMap(({ language, endings }) =>
    endings.split(' ').map((ending) => [ending, language as StreamParser<unknown>] as const),
  ),
);

/** What a mode names a part, up to its first dot. */
const TONES = {
  keyword: 'keyword',
  operatorKeyword: 'keyword',
  comment: 'comment',
  string: 'string',
  quote: 'string',
  number: 'value',
  atom: 'value',
  bool: 'value',
  def: 'name',
  type: 'name',
  typeName: 'name',
  tag: 'name',
  property: 'name',
  propertyName: 'name',
  attribute: 'name',
} as const;

const isTone = (name: string): name is keyof typeof TONES => Object.hasOwn(TONES, name);

export interface CodePiece {
  text: string;
  tone: (typeof TONES)[keyof typeof TONES] | null;
}

/** The patterns of some modes take a time that grows with a power of the length, or of the run of spaces. */
const MOST_CHARS = 300;
const TOO_FREE = /\s{50}/;
/** So often a mode may change its state without a step. */
const MOST_PAUSES = 10;

/** @returns what reads line by line; null if the language of the file is not known. */
export function lineReader(path: string): ((line: string) => CodePiece[]) | null {
  const language = LANGUAGES.get(/(?<=\.)\w+$/.exec(path)?.[0].toLowerCase() ?? '');
  if (language === undefined) return null;
  const state = language.startState?.(2) ?? {};
  return (line) => {
    if (line.length > MOST_CHARS || TOO_FREE.test(line)) return [{ text: line, tone: null }];
    if (line === '') language.blankLine?.(state, 2);
    const stream = new StringStream(line, 4, 2);
    const pieces: CodePiece[] = [];
    for (let pauses = 0; !stream.eol(); ) {
      stream.start = stream.pos;
      const [name = ''] = language.token(stream, state)?.split(/[. ]/) ?? [];
      if (stream.pos === stream.start) {
        pauses += 1;
        if (pauses < MOST_PAUSES) continue;
        stream.next();
      }
      pauses = 0;
      add(pieces, stream.current(), isTone(name) ? TONES[name] : null);
    }
    return pieces;
  };
}

function add(pieces: CodePiece[], text: string, tone: CodePiece['tone']): void {
  const last = pieces.at(-1);
  if (last?.tone === tone) last.text += text;
  else pieces.push({ text, tone });
}

/** The page has no other way to the module: its policy allows scripts by their hashes. */
Object.assign(globalThis, { lineReader });
