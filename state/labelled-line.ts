// Reads one line of a labelled corpus by a table of its fields, and the recorded call in a folder that it names.

import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { CLASSES, type ErrorClass } from '../policies/facts/classes.ts';
import { type BuiltIn, TOOLS } from '../policies/facts/tools.ts';
import { type Json, numberOf, parseObject, partOf, textOf } from '../policies/text/json.ts';
import { nearest } from '../policies/text/nearest.ts';
import { tried } from '../policies/text/tried.ts';
import {
  type CapturedCall,
  type LabelledCase,
  RECORDED_ENDINGS,
  type RecordedEnding,
} from '../policies/verdict/labelled-case.ts';
import { isWithin } from './disk/real-folder.ts';
import { readRegularOrNull, UnfitFileError } from './disk/regular-file.ts';

/** The location of a case. */
interface CapturedPlace {
  file: string;
  line: number;
  /** Absolute paths of folders: `files` must be in one of them. */
  homes: readonly string[];
}

type FilesRead = { how: 'read'; captured: CapturedCall } | { how: 'invalid'; message: string };

const MAX_BYTES = 64 * 1024 * 1024;

/** @param folder relative to the file that names it */
export function readCapturedFiles(folder: string, tool: BuiltIn, { file, homes }: CapturedPlace): FilesRead {
  const wanted = path.resolve(path.dirname(file), folder);
  if (!existsSync(wanted) || !statSync(wanted).isDirectory())
    return unusable(`files: there is no folder ${wanted}; the path is relative to ${path.dirname(file)}`);
  const at = realpathSync(wanted);
  if (!homes.some((home) => isWithin(realpathSync(home), at)))
    return unusable(`files: ${at} is outside ${homes.join(' and ')}; copy it beside the corpus`);
  const [meta, stderr, stdout] = ['meta.json', 'stderr', 'stdout'].map((name) => textIn(path.join(at, name)));
  for (const text of [meta, stderr, stdout]) if (text?.how === 'invalid') return unusable(`files: ${text.message}`);
  const recorded = parseObject((meta?.text ?? '').trim());
  if (recorded === null)
    return unusable(`files: ${path.join(at, 'meta.json')} is not a JSON object with exit_code and signal`);
  if (recorded.tool !== undefined && recorded.tool !== tool)
    return unusable(`files: ${at} was recorded of ${JSON.stringify(recorded.tool)}, and tool says ${tool}`);
  const ending = textOf(recorded.ending);
  if (ending !== null && !RECORDED_ENDINGS.includes(ending))
    return unusable(`files: ending in ${path.join(at, 'meta.json')} must be one of ${RECORDED_ENDINGS.join(', ')}`);
  const signal = textOf(recorded.signal);
  return {
    how: 'read',
    captured: {
      tool,
      exitCode: numberOf(recorded.exit_code),
      signal,
      // Always set: a recorder sees the CLI's own exit code, never that of a wrapper.
      ending:
        (ending as RecordedEnding) ?? (recorded.killed === true ? 'killed' : signal === null ? 'exited' : 'signalled'),
      stderr: stderr?.text ?? '',
      stdout: stdout?.text ?? '',
    },
  };
}

type TextRead = { how: 'read'; text: string } | { how: 'invalid'; message: string; text?: undefined };

/** A missing file counts as empty; a link is not followed, because it might lead anywhere. */
function textIn(file: string): TextRead {
  try {
    return { how: 'read', text: readRegularOrNull(file, MAX_BYTES) ?? '' };
  } catch (error) {
    if (!(error instanceof UnfitFileError)) throw error;
    return { how: 'invalid', message: error.message };
  }
}

const unusable = (message: string): FilesRead => ({ how: 'invalid', message });

type LineRead = { how: 'read'; labelled: LabelledCase } | { how: 'invalid'; mistakes: string[] };

interface Field {
  need: 'always' | 'if wanted';
  expects: string;
  fits: (value: unknown) => boolean;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const oneOf = (names: readonly string[]) => (value: unknown) => isText(value) && names.includes(value);
const like = (pattern: RegExp) => (value: unknown) => isText(value) && pattern.test(value);
const orNull = (fits: Field['fits']) => (value: unknown) => value === null || fits(value);
const isTime = (value: unknown) => like(TIME)(value) && !Number.isNaN(Date.parse(value as string));

const NAME = /^[a-z0-9][\w.:-]{0,119}$/i;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;

const FIELDS: Record<string, Field> = {
  id: { need: 'always', expects: 'a name such as codex-bad-key-json', fits: like(NAME) },
  tool: { need: 'always', expects: `one of ${TOOLS.join(', ')}`, fits: oneOf(TOOLS) },
  at: { need: 'always', expects: 'a time with its zone, such as 2026-11-21T21:00:00Z', fits: isTime },
  exit_code: { need: 'if wanted', expects: 'a whole number or null', fits: orNull(Number.isInteger) },
  signal: { need: 'if wanted', expects: 'the name of a signal, such as SIGKILL', fits: orNull(like(/^SIG[A-Z0-9]+$/)) },
  ending: {
    need: 'if wanted',
    expects: `one of ${RECORDED_ENDINGS.join(', ')}`,
    fits: orNull(oneOf(RECORDED_ENDINGS)),
  },
  stderr: { need: 'if wanted', expects: 'a text', fits: isText },
  stdout: { need: 'if wanted', expects: 'a text', fits: isText },
  files: {
    need: 'if wanted',
    expects: 'the path of a folder, relative to this file',
    fits: like(/^(?!\/|[a-z]:|\\)[^\0]+$/i),
  },
  class: {
    need: 'always',
    expects: `null or one of ${Object.keys(CLASSES).join(', ')}`,
    fits: orNull(oneOf(Object.keys(CLASSES))),
  },
  reason: { need: 'if wanted', expects: 'a reason such as bad_key', fits: orNull(like(NAME)) },
  retry_at: {
    need: 'if wanted',
    expects: 'null or a time with its zone, such as 2026-11-22T01:00:00Z',
    fits: orNull(isTime),
  },
  identity: { need: 'if wanted', expects: 'the name of a failure', fits: like(NAME) },
  rendering: { need: 'if wanted', expects: 'the name of a way to tell it', fits: like(NAME) },
};

export function readLabelledLine(text: string, place: CapturedPlace): LineRead {
  const value = parse(text);
  if (value === null) return invalid('this is not a JSON object; a case is one object on one line');
  const mistakes = [...misnamed(value), ...misfits(value), ...contradictions(value)];
  if (mistakes.length > 0) return invalid(...mistakes);
  const captured = capturedIn(value, place);
  if (typeof captured === 'string') return invalid(captured);
  const { file, line } = place;
  return {
    how: 'read',
    labelled: {
      id: value.id as string,
      file,
      line,
      captured: captured,
      at: new Date(value.at as string),
      label: labelOf(value),
      identity: (value.identity ?? null) as string | null,
      rendering: (value.rendering ?? null) as string | null,
    },
  };
}

const parse = (text: string): Json | null => tried(() => partOf(JSON.parse(text)));

const misnamed = (value: Json): string[] =>
  Object.keys(value)
    .filter((name) => !Object.hasOwn(FIELDS, name))
    .map((name) => {
      const near = nearest(name.slice(0, 40), Object.keys(FIELDS));
      const hint = near === null ? `expected ${Object.keys(FIELDS).join(', ')}` : `did you mean ${near}?`;
      return `${name.slice(0, 40)} is unknown; ${hint}`;
    });

function misfits(value: Json): string[] {
  return Object.entries(FIELDS).flatMap(([name, { need, expects, fits }]) => {
    if (value[name] === undefined) return need === 'always' ? [`${name} is missing; expected ${expects}`] : [];
    return fits(value[name]) ? [] : [`${name} must be ${expects}, not ${JSON.stringify(value[name]).slice(0, 60)}`];
  });
}

function contradictions(value: Json): string[] {
  const has = (name: string) => value[name] !== undefined && value[name] !== null;
  return [
    ...(has('files') && (has('stderr') || has('stdout'))
      ? ['files replaces stderr and stdout, so give only one of them']
      : []),
    ...(value.class === null && (has('reason') || has('retry_at'))
      ? ['class null is a success, which has no reason and no retry_at']
      : []),
    ...(has('identity') !== has('rendering') ? ['identity and rendering go together: give both or neither'] : []),
  ];
}

/** The line's own fields about the ending override those in the files. */
function capturedIn(value: Json, place: CapturedPlace): CapturedCall | string {
  const tool = value.tool as BuiltIn;
  const read = isText(value.files) ? readCapturedFiles(value.files, tool, place) : null;
  if (read?.how === 'invalid') return read.message;
  const files = read?.captured;
  return {
    tool,
    exitCode: (value.exit_code ?? files?.exitCode ?? null) as number | null,
    signal: (value.signal ?? files?.signal ?? null) as string | null,
    ending: (value.ending ?? files?.ending ?? null) as RecordedEnding | null,
    stderr: (value.stderr ?? files?.stderr ?? '') as string,
    stdout: (value.stdout ?? files?.stdout ?? '') as string,
  };
}

function labelOf(value: Json): LabelledCase['label'] {
  return {
    class: value.class as ErrorClass | null,
    ...(isText(value.reason) ? { reason: value.reason } : {}),
    ...(value.retry_at === undefined ? {} : { retryAt: value.retry_at as string | null }),
  };
}

const invalid = (...mistakes: string[]): LineRead => ({ how: 'invalid', mistakes });
