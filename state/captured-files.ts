// Reads a recorded call from its folder: stderr, stdout, and meta.json, which contains how it ended.

import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { BuiltIn } from '../policies/facts/tools.ts';
import { numberOf, parseObject, textOf } from '../policies/text/json.ts';
import { type CapturedCall, RECORDED_ENDINGS, type RecordedEnding } from '../policies/verdict/labelled-case.ts';
import { isWithin } from './disk/real-path.ts';
import { readRegularOrNull, UnfitFileError } from './disk/regular-file.ts';

/** The location of a case. */
export interface CapturedPlace {
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
    return invalid(`files: there is no folder ${wanted}; the path is relative to ${path.dirname(file)}`);
  const at = realpathSync(wanted);
  if (!homes.some((home) => isWithin(realpathSync(home), at)))
    return invalid(`files: ${at} is outside ${homes.join(' and ')}; copy it beside the corpus`);
  const [meta, stderr, stdout] = ['meta.json', 'stderr', 'stdout'].map((name) => textIn(path.join(at, name)));
  for (const text of [meta, stderr, stdout]) if (text?.how === 'invalid') return invalid(`files: ${text.message}`);
  const recorded = parseObject((meta?.text ?? '').trim());
  if (recorded === null)
    return invalid(`files: ${path.join(at, 'meta.json')} is no JSON object with exit_code and signal`);
  if (recorded.tool !== undefined && recorded.tool !== tool)
    return invalid(`files: ${at} was recorded of ${JSON.stringify(recorded.tool)}, and tool says ${tool}`);
  const ending = textOf(recorded.ending);
  if (ending !== null && !RECORDED_ENDINGS.includes(ending))
    return invalid(`files: ending in ${path.join(at, 'meta.json')} must be one of ${RECORDED_ENDINGS.join(', ')}`);
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

const invalid = (message: string): FilesRead => ({ how: 'invalid', message });
