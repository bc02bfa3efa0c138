// Defines the adapter of the gemini CLI.

import path from 'node:path';
import type { EngineEvent } from '../../policies/facts/engine-event.ts';
import { readFailure } from '../../policies/facts/engine-failure.ts';
import { FAILURE_REPORTS } from '../../policies/facts/file-names.ts';
import { COMMANDS } from '../../policies/facts/tools.ts';
import { type Json, listOf, numberOf, parseObject, partOf, textOf } from '../../policies/text/json.ts';
import { namesIfAny } from '../../state/disk/folder.ts';
import type { Adapter, CallRequest, FailureReport, FolderRequest, Ignored } from '../adapter.ts';
import { homeOf } from '../home.ts';
import { ALLOW_COMMIT, type OwnFlag, type OwnOf } from '../own-flags.ts';
import { MARKERS } from '../processes/marker.ts';
import { storeOf } from '../sessions/store-of.ts';
import { unstartableServers } from '../startable.ts';
import { createLogReader, OUTSIDE, readEvent, readStderr, USAGE_LOG } from './events.ts';
import { FEATURES } from './features.ts';
import { overlay as readOverlay } from './overlay.ts';
import { route } from './route.ts';
import { readSettings, settingsFiles, userFolder } from './settings.ts';
import { readGeminiSignIn } from './sign-in.ts';
import { refusesFolder } from './trust.ts';

/** gemini reports a server that failed, but reports nothing of one that is not configured. */
function missingServer(request: CallRequest): string | null {
  const { servers = [] } = request.requires ?? {};
  if (servers === 'all' || servers.length === 0) return null;
  const { files, read } = configurationOf(request);
  // gemini itself refuses to start with such a file, or reports what it lacks.
  if (read.includes('unreadable')) return null;
  const known = read.map((one) => partOf(one)).filter((one) => one !== null);
  const names = new Set(known.flatMap((one) => Object.keys(partOf(one.mcpServers) ?? {})));
  const missing = servers.find((name) => !names.has(name));
  if (missing !== undefined)
    return `required MCP server "${missing}" is not configured: it is not among mcpServers in ${files.user} or ${files.project}`;
  const excluded = servers.find((name) => known.some((one) => isExcluded(partOf(one.mcp), name)));
  return excluded === undefined
    ? null
    : `required MCP server "${excluded}" is excluded by mcp.excluded or mcp.allowed in gemini's settings`;
}

function configurationOf({ environment, cwd }: FolderRequest) {
  const home = homeOf(environment) ?? cwd;
  const files = settingsFiles(environment, home, cwd);
  const extensions = path.join(userFolder(environment, home), 'extensions');
  const settings = [files.user, files.project, files.system].filter((file) => file !== '').map(readSettings);
  const manifests = namesIfAny(extensions).map((name) =>
    readSettings(path.join(extensions, name, 'gemini-extension.json')),
  );
  return { files, read: [...manifests, ...settings] };
}

/** Only a server without anything to start: gemini refuses or reports all other mistakes. */
function ignores(request: FolderRequest): Ignored[] {
  const servers: Record<string, Json> = {};
  const { read } = configurationOf(request);
  const isOff = (name: string) => read.some((one) => isExcluded(partOf(partOf(one)?.mcp), name));
  for (const one of read)
    for (const [name, server] of Object.entries(partOf(partOf(one)?.mcpServers) ?? {}))
      servers[name] = { ...servers[name], ...partOf(server) };
  return unstartableServers(servers, ['command', 'url', 'httpUrl', 'tcp'], 'settings.json', isOff);
}

/** Why the service ended an answer is only in gemini's telemetry, which goes to the same file. A user may have it elsewhere. */
function requestLog(file: string, request: FolderRequest): { environment: Record<string, string> } | null {
  const environment = withoutOuterLog(request.environment, path.basename(file));
  if (environment.GEMINI_DEBUG_LOG_FILE !== undefined) return null;
  const isOwn =
    Object.keys(environment).some((name) => /^(?:GEMINI_TELEMETRY|OTEL)_/.test(name)) ||
    configurationOf(request).read.some((one) => partOf(one)?.telemetry !== undefined);
  const telemetry = {
    GEMINI_TELEMETRY_ENABLED: 'true',
    GEMINI_TELEMETRY_TARGET: 'local',
    GEMINI_TELEMETRY_OUTFILE: file,
    GEMINI_TELEMETRY_LOG_PROMPTS: 'false',
  };
  return { environment: { GEMINI_DEBUG_LOG_FILE: file, ...(isOwn ? {} : telemetry) } };
}

/** An agent that calls gemini again inherits the log of its own call, which is not the user's. @param name of our logs. */
function withoutOuterLog(environment: NodeJS.ProcessEnv, name: string): NodeJS.ProcessEnv {
  const { GEMINI_DEBUG_LOG_FILE: file = '', GEMINI_TELEMETRY_OUTFILE: outfile } = environment;
  if (path.basename(file) !== name || !MARKERS.some((one) => environment[one] !== undefined)) return environment;
  const ours = outfile === file ? /^GEMINI_(?:DEBUG_LOG_FILE$|TELEMETRY_)/ : /^GEMINI_DEBUG_LOG_FILE$/;
  return Object.fromEntries(Object.entries(environment).filter(([one]) => !ours.test(one)));
}

const isExcluded = (mcp: Json | null, name: string): boolean =>
  listOf(mcp?.excluded).includes(name) || (Array.isArray(mcp?.allowed) && !mcp.allowed.includes(name));

const OWN_FLAGS = {
  ...ALLOW_COMMIT,
  sandbox: { takes: 'nothing', about: 'use the sandbox of gemini' },
  'approval-mode': {
    takes: 'choice',
    choices: ['default', 'auto_edit', 'yolo'],
    about: 'the approval mode, instead of the one that --access selects',
  },
} as const satisfies Record<string, OwnFlag>;

type GeminiOwn = OwnOf<typeof OWN_FLAGS>;

/** gemini's own report of a failure: the error's stack, and the whole conversation that was sent. */
const FAILURE_REPORT = {
  begins: FAILURE_REPORTS.gemini,
  read(text: string): FailureReport {
    const report = parseObject(text);
    const conversation = listOf(report?.context);
    return {
      stack: textOf(partOf(report?.error)?.stack),
      conversation: conversation.length === 0 ? null : conversation,
    };
  },
} as const;

/** Works on latin1 text, byte by byte, so that the encoding is not changed. The CLI ignores an `@` after a backslash. */
function escapePrompt(text: string): string {
  const escaped = text.replace(/(?<!\\)@(?=[^ \t\r\n])/g, '\\@');
  return escaped.startsWith('/') || escaped.startsWith('?') ? `\n${escaped}` : escaped;
}

/** @returns null if the text is neither such a document nor the beginning of one. */
export function readDocument(text: string): EngineEvent[] | null {
  const trimmed = text.trim();
  if (!BEGINS.test(trimmed)) return null;
  const document = parseObject(trimmed);
  if (document === null && !/^\{\s{0,20}"session_id"/.test(trimmed)) return null;
  if (document === null) return [{ how: 'failed', failure: { message: 'the JSON ended prematurely' } }];
  const error = partOf(document.error);
  const response = textOf(document.response);
  // An answer may be JSON too.
  if (response === null && textOf(error?.message) === null) return null;
  if (error === null) return [{ how: 'said', text: response ?? '', whole: true, message: null }, { how: 'completed' }];
  const code = numberOf(error.code);
  const type = textOf(error.type);
  const known = {
    ...(type === null || type === 'Error' ? {} : { type }),
    ...(code === null || code < 400 ? {} : { status: code }),
  };
  return [{ how: 'failed', failure: readFailure(textOf(error.message) ?? '', known) }];
}

const BEGINS = /^\{\s{0,20}"(?:session_id|response|error|stats)"\s{0,4}:/;

export const GEMINI = {
  tool: 'gemini',
  command: COMMANDS.gemini,
  binary: 'gemini',
  packageName: '@google/gemini-cli',
  features: FEATURES,
  defaultTimeoutMs: 300_000,
  own: OWN_FLAGS,
  argv: (request, overlay, own: GeminiOwn = request.own) => [
    '--output-format',
    'stream-json',
    ...(request.model === null ? [] : ['--model', request.model]),
    '--approval-mode',
    own['approval-mode'] ?? APPROVAL[request.access],
    ...(own.sandbox ? ['--sandbox'] : []),
    ...(request.resumeSession === null ? [] : ['--resume', request.resumeSession]),
    ...overlay,
  ],
  environment: (request) => ({
    // The launcher swallows TERM, INT and HUP. Without it there is one process less to start and to end.
    GEMINI_CLI_NO_RELAUNCH: 'true',
    NO_COLOR: '1',
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    ...(request.trustWorkspace ? { GEMINI_CLI_TRUST_WORKSPACE: 'true' } : {}),
  }),
  overlay: readOverlay,
  distrusts: () => null,
  refusesFolder,
  signIn: readGeminiSignIn,
  entries: ['gemini.js'],
  // The CLI truncates stdin at 8 MiB and continues with half a prompt.
  prompt: { via: 'stdin', escape: escapePrompt, limit: { unit: 'bytes', max: 8 * 1024 * 1024 } },
  readEvent,
  readDocument,
  readStderr,
  log: { request: requestLog, reader: createLogReader },
  missingServer,
  ignores,
  allows({ tool, rule }, { access }) {
    if (rule === OUTSIDE) return { flag: 'cwd', value: 'a folder that contains the path' };
    if (access === 'full') return null;
    return { flag: 'access', value: access === 'read' && WRITES.includes(tool) ? 'write' : 'full' };
  },
  usageFile: null,
  answerSchema: null,
  liveUsage: USAGE_LOG,
  endsAtUsd: false,
  usageCounts: 'call',
  sessionId: 'announced',
  sessions: () => storeOf('gemini'),
  route: async () => route,
  // Its "input error": no prompt, a bad session id, a broken command in the prompt.
  refusedInput: ({ exitCode }) => exitCode === 42,
  failureReport: FAILURE_REPORT,
  asksAgain: 'after a wait',
  lingerMs: 5000,
} as const satisfies Adapter;

const WRITES = ['write_file', 'replace', 'edit'];

/** In default mode a headless gemini declares no tool that writes or runs commands. */
const APPROVAL = { read: 'default', write: 'auto_edit', full: 'yolo' } as const satisfies Record<
  CallRequest['access'],
  string
>;
