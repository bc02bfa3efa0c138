// The catalogue: CLIs in the form in which a project describes its own, and their way into its tollgate.yaml.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { OwnToolRow } from '../../policies/rules/described-cli.ts';
import { nearest } from '../../policies/text/nearest.ts';
import { kindOf, readRegular } from '../disk/regular-file.ts';
import { publishText } from '../disk/replace-file.ts';
import { PROJECT_FILES, projectFile, readProject } from './project.ts';
import { toYaml } from './yaml-file.ts';

interface CatalogueRow {
  /** The version that passes every scenario of the tests; null: it was described by its documentation and never run. */
  tested: string | null;
  row: object;
}

export const CATALOGUE: Readonly<Record<string, CatalogueRow>> = {
  opencode: {
    tested: '1.18.33',
    row: {
      binary: 'opencode',
      package: 'opencode-ai',
      argv: [
        'run',
        '--format=json',
        // Its own title for a session would be one more paid request.
        '--title=tollgate',
        // It announces its retries in its log alone.
        '--print-logs',
        '--log-level=ERROR',
        ['--model={model}'],
        ['--session={session}'],
      ],
      access: { read: ['--agent=plan'], write: [], full: ['--auto'] },
      environment: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
      retries: { announced: ['message="stream error"*error.error="*"'] },
      output: 'lines',
      events: [
        { session: 'sessionID' },
        { when: { type: 'step_start' }, requested: true },
        { when: { type: 'text' }, answer: 'part.text' },
        { when: { type: 'tool_use' }, tool: 'part.tool' },
        {
          when: { type: 'step_finish' },
          tokens: {
            input: 'part.tokens.input',
            cached: 'part.tokens.cache.read',
            output: 'part.tokens.output',
            total: 'part.tokens.total',
          },
          usd: 'part.cost',
          adds: true,
          // It sends a request again, and announces nothing, after an error within an answer.
          answered: true,
        },
        { when: { type: 'step_finish', 'part.reason': 'stop' }, completed: true },
        {
          when: { type: 'step_finish', 'part.reason': ['length', 'content-filter'] },
          failure: 'part.reason',
          code: 'part.reason',
        },
        // It would continue for ever after an answer without an end.
        { when: { type: 'step_finish', 'part.reason': 'unknown' }, retry: 'part.reason' },
        {
          when: { type: 'error' },
          failure: 'error.data.message',
          status: 'error.data.statusCode',
          details: 'error.data.responseBody',
        },
      ],
    },
  },
  qwen: {
    tested: '0.24.4',
    row: {
      binary: 'qwen',
      package: '@qwen-code/qwen-code',
      argv: [
        '--output-format=stream-json',
        ['--model={model}'],
        ['--session-id={new_session}'],
        ['--resume={session}'],
        ['--max-session-turns={max_turns}'],
        '{access}',
      ],
      // Without a mode it asks a model about each tool.
      access: {
        read: ['--approval-mode=default'],
        write: ['--approval-mode=auto-edit'],
        full: ['--approval-mode=yolo'],
      },
      environment: {
        QWEN_CODE_SUPPRESS_YOLO_WARNING: '1',
        // Only the records of its telemetry announce a retry before it is sent. They go to a file of the call.
        QWEN_TELEMETRY_ENABLED: 'true',
        QWEN_TELEMETRY_TARGET: 'local',
        QWEN_TELEMETRY_LOG_PROMPTS: 'false',
        OTEL_BLRP_SCHEDULE_DELAY: '100',
      },
      log: {
        variable: 'QWEN_TELEMETRY_OUTFILE',
        events: [
          { when: { 'attributes.event.name': 'qwen-code.api_request' }, requested: true },
          {
            when: { 'attributes.event.name': 'qwen-code.api_retry' },
            retry: 'attributes.error_message',
            status: 'attributes.status_code',
          },
          { when: { 'attributes.event.name': 'qwen-code.chat.content_retry' }, retry: '_body' },
          {
            when: { 'attributes.event.name': 'qwen-code.api_error' },
            error: 'attributes.error_message',
            status: 'attributes.status_code',
          },
          // A connection that breaks in the middle of an answer.
          {
            when: {
              'attributes.event.name': 'qwen-code.api_error',
              'attributes.error_type': ['TypeError', 'TypeError:ECONNRESET', 'TypeError:UND_ERR_SOCKET'],
            },
            retry: 'attributes.error_message',
          },
        ],
      },
      // The lowest level of its settings: those of the user come first.
      settings: {
        variable: 'QWEN_CODE_SYSTEM_DEFAULTS_PATH',
        content: {
          // Each would be one more paid request after the answer.
          memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
          general: { enableAutoUpdate: false },
        },
      },
      retries: { settings: { model: { generationConfig: { maxRetries: 0 } } } },
      // Its package lacks a mode for that program, so that each call says this.
      omit: ['Ripgrep not available: *'],
      output: 'lines',
      events: [
        { session: 'session_id' },
        { when: { type: 'system', subtype: 'init' }, model: 'model' },
        { each: 'mcp_servers', when: { status: ['failed', 'disconnected'] }, server_failed: 'name' },
        { each: 'message.content', when: { type: 'tool_use' }, tool: 'name' },
        { each: 'permission_denials', denied: 'tool_name' },
        {
          when: { type: 'result' },
          tokens: {
            input: 'usage.input_tokens',
            cached: 'usage.cache_read_input_tokens',
            output: 'usage.output_tokens',
            total: 'usage.total_tokens',
          },
        },
        { when: { type: 'result', is_error: false }, answer: 'result', completed: true },
        { when: { type: 'result', is_error: true }, failure: 'error.message' },
      ],
    },
  },
  agy: {
    tested: null,
    row: {
      binary: 'agy',
      // Its own limit of five minutes would end a call before Tollgate does.
      argv: ['--print-timeout=24h', ['--model={model}'], ['--conversation={session}']],
      access: { read: ['--mode=plan'], write: [], full: ['--dangerously-skip-permissions'] },
    },
  },
};

/** Why the catalogue has no such CLI, as a sentence; null if it has one. */
function notInCatalogue(name: string): string | null {
  if (Object.hasOwn(CATALOGUE, name)) return null;
  const names = Object.keys(CATALOGUE);
  const near = nearest(name, names);
  return `the catalogue has no ${name}, only ${names.join(', ')}${near === null ? '' : `; did you mean ${near}?`}; describe another CLI in \`tools\` of tollgate.yaml`;
}

/** Which of a project's rows have a name of the catalogue: the same row, or another one that counts instead. */
export async function comparedToCatalogue(
  tools: Readonly<Record<string, OwnToolRow>>,
): Promise<Record<string, 'same' | 'other'>> {
  const names = Object.keys(tools).filter((name) => Object.hasOwn(CATALOGUE, name));
  if (names.length === 0) return {};
  const ours = await rowsIn(await textWith('', names));
  return Object.fromEntries(
    names.map((name) => [name, JSON.stringify(ours[name]) === JSON.stringify(tools[name]) ? 'same' : 'other']),
  );
}

type Added = { how: 'added' | 'present'; file: string } | { how: 'refused'; message: string };

/** Writes a row of the catalogue to a project's file, and changes nothing else in it. */
export async function addFromCatalogue(name: string, root: string): Promise<Added> {
  const missing = notInCatalogue(name);
  if (missing !== null) return refused(missing);
  const file = projectFile(root) ?? path.join(root, PROJECT_FILES[0]!);
  const kind = kindOf(file);
  if (kind !== null && kind !== 'a regular file') return refused(`${file} is ${kind}: make it a regular file`);
  const project = await readProject(root);
  if (project.how === 'invalid') return refused(`fix tollgate.yaml first:\n${project.message}`);
  const { tools, unsound } = project.value;
  if (Object.hasOwn(tools, name) || Object.hasOwn(unsound, name)) {
    if ((await comparedToCatalogue(tools))[name] === 'same') return { how: 'present', file };
    const line = project.lineOf(['tools', name]);
    return refused(
      `${file}:${line} describes ${name} itself, and that counts; remove its row first to get the one of the catalogue`,
    );
  }
  const text = await textWith(kind === null ? '' : readRegular(file, MAX_BYTES), [name]);
  const rows = await rowsIn(text);
  const isWhole = [...Object.keys(tools), name].every((one) => Object.hasOwn(rows, one));
  if (!isWhole) {
    const row = await toYaml({ tools: { [name]: CATALOGUE[name]!.row } });
    return refused(`tools of ${file} has a form that cannot be added to; add this by hand:\n\n${row}`);
  }
  publishText(file, text);
  return { how: 'added', file };
}

/** `readProject` accepts no larger file. */
const MAX_BYTES = 1024 * 1024;

const refused = (message: string) => ({ how: 'refused', message }) as const;

/** Adds rows below `tools:` of a file's text, as far as its first row is indented. A list of tools in braces gives a text without them. */
async function textWith(text: string, names: readonly string[]): Promise<string> {
  const [, head = '', indent = '  ', rest = ''] =
    /^((?:[\s\S]*\n)?tools:[ \t]*(?:#.*)?\r?\n(?:[ \t]*(?:#.*)?\r?\n)*)([ \t]+)(\S[\s\S]*)$/.exec(text) ?? [];
  const rows = await toYaml(Object.fromEntries(names.map((name) => [name, CATALOGUE[name]!.row])));
  const indented = rows.replaceAll(/^(?=.)/gm, indent);
  if (head !== '') return `${head}${indented}${indent}${rest}`;
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return `${before}tools:\n${indented}`;
}

/** The CLIs that a project with this file would have; none if it could not be read. */
async function rowsIn(text: string): Promise<Readonly<Record<string, OwnToolRow>>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-'));
  try {
    writeFileSync(path.join(folder, PROJECT_FILES[0]!), text, { mode: 0o600 });
    const read = await readProject(folder);
    return read.how === 'read' ? read.value.tools : {};
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
