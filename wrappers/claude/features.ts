// Lists the features that the claude row relies on, measured with 2.1.100 to 2.1.330 (npm run bench:matrix -- --versions).

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Feature } from '../feature.ts';

const retries = (name: string, without: string, since: string | null = null) =>
  ({ kind: 'variable', name, since, without }) as const;

export const FEATURES = [
  { kind: 'flag', name: '-p', since: null, without: null },
  { kind: 'flag', name: '--output-format', since: null, without: null },
  { kind: 'flag', name: '--verbose', since: null, without: null },
  {
    kind: 'flag',
    name: '--include-partial-messages',
    since: null,
    without: 'a long answer prints nothing until it is whole, and its requests are not counted',
  },
  {
    kind: 'flag',
    name: '--debug-file',
    since: null,
    without: 'there is no warning of a setting that it ignores, or of a server whose tools it could not list',
  },
  { kind: 'variable', name: 'CLAUDE_CODE_DEBUG_LOG_LEVEL', since: null, without: 'its log has more than its errors' },
  { kind: 'flag', name: '--include-hook-events', since: null, without: 'most hooks that fail cause no warning' },
  { kind: 'flag', name: '--model', since: null, without: null },
  { kind: 'flag', name: '--permission-mode', since: null, without: null },
  { kind: 'flag', name: '--allowedTools', since: null, without: null },
  { kind: 'flag', name: '--disallowedTools', since: null, without: null },
  { kind: 'flag', name: '--effort', since: null, without: null },
  { kind: 'flag', name: '--json-schema', since: null, without: null },
  { kind: 'flag', name: '--max-budget-usd', since: null, without: 'its cost is counted from outside, by `prices`' },
  { kind: 'flag', name: '--max-turns', since: null, without: 'its turns are counted and cut from outside' },
  { kind: 'flag', name: '--settings', since: null, without: null },
  { kind: 'flag', name: '--session-id', since: null, without: null },
  { kind: 'flag', name: '--resume', since: null, without: null },
  { kind: 'variable', name: 'NO_COLOR', since: null, without: 'its words may be in colour' },
  {
    kind: 'variable',
    name: 'CLAUDE_CODE_STARTUP_FAILURE_RESULTS',
    since: '2.1.274',
    without: 'a failure to start is reported on stderr alone',
  },
  {
    kind: 'variable',
    name: 'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
    since: null,
    without: 'it may ask for flags and tell of its use',
  },
  { kind: 'variable', name: 'DISABLE_AUTOUPDATER', since: null, without: 'it may look for an update' },
  {
    kind: 'variable',
    name: 'CLAUDE_CODE_DISABLE_FILE_MENTIONS',
    since: '2.1.299',
    without: 'a prompt that names a file with @ is refused, since the file would be sent along',
    keepsFrom: (prompt, cwd) => {
      const file = mentionedFile(prompt, cwd);
      return file === null ? null : `read ${file}, which the prompt names with @, and send it along`;
    },
  },
  {
    kind: 'variable',
    name: 'CLAUDE_CODE_DISABLE_BACKGROUND_TASKS',
    since: null,
    without: 'a command over its time continues after the answer, and is ended with the call',
  },
  {
    kind: 'variable',
    name: 'MCP_CONNECTION_NONBLOCKING',
    since: null,
    without: 'a required MCP server that starts slowly counts as missing',
  },
  retries('CLAUDE_CODE_MAX_RETRIES', 'its announced retries are cut instead'),
  retries('CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK', 'a broken stream is requested once more'),
  retries('CLAUDE_CODE_DISABLE_REFUSAL_RETRY', 'a refused answer is requested once more', '2.1.282'),
  retries('CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK', 'a refused answer is requested from another model', '2.1.161'),
  retries(
    'CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS',
    'after an HTTP 400 that it cannot read, it sends the request elsewhere than to its service',
  ),
  retries('MAX_STRUCTURED_OUTPUT_RETRIES', 'an answer that does not fit --json-schema is requested up to five times'),
  { kind: 'event', name: 'system', since: null, without: null },
  { kind: 'event', name: 'assistant', since: null, without: null },
  { kind: 'event', name: 'stream_event', since: null, without: 'its requests are not counted while it runs' },
  { kind: 'event', name: 'user', since: null, without: null },
  { kind: 'event', name: 'rate_limit_event', since: null, without: 'the time of a reset is read from its words' },
  { kind: 'event', name: 'result', since: null, without: null },
] as const satisfies readonly Feature[];

/** The first mention of an existing file; null if there is none. */
function mentionedFile(prompt: string, cwd: string): string | null {
  for (const [, quoted, bare = ''] of prompt.matchAll(MENTION)) {
    const name = (quoted ?? bare).split('#')[0]!;
    // Characters after a name may belong to the sentence.
    const names = [name, name.replace(/[.,;:!?)\]}'"`]+$/, '')];
    const found = names.find((one) => one !== '' && existsSync(path.resolve(cwd, one)));
    if (found !== undefined) return found;
  }
  return null;
}

const MENTION = /(?<![\w\\])@(?:"([^"\n]+)"|([^\s"]+))/g;
