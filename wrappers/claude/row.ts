// Defines the adapter of the claude CLI.

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { COMMANDS } from '../../policies/facts/tools.ts';
import { listOf, parseObject, partOf } from '../../policies/text/json.ts';
import type { Adapter, CallRequest, FolderRequest, Permission } from '../adapter.ts';
import { ALLOW_COMMIT, commitPermission, mayCommit, type OwnFlag, type OwnOf } from '../own-flags.ts';
import { storeOf } from '../sessions/store-of.ts';
import { readEvent, readLog } from './events.ts';
import { FEATURES } from './features.ts';
import { claudeHome, memoryMistake, readMemory } from './home.ts';
import { overlay as readOverlay } from './overlay.ts';
import { route } from './route.ts';
import { ignores, readSettings } from './settings.ts';
import { readClaudeSignIn } from './sign-in.ts';

/** Whether the user trusts claude's folder: without a prompt, it runs the hooks, servers and settings of any. */
export function distrusts({ trustWorkspace, environment, cwd }: FolderRequest): string | null {
  if (trustWorkspace || isTrusted(environment, realOf(cwd))) return null;
  const home = claudeHome(environment);
  const unread = home === null ? null : memoryMistake(home);
  const known = unread === null ? '' : ` (whether claude trusts it is not known: ${unread})`;
  return `${cwd} is not a trusted folder, and claude would run its hooks, MCP servers and settings unasked${known}`;
}

/** A link in a trusted folder may lead to an untrusted folder. */
function realOf(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}

/** Trusted in claude's own dialogue, for this folder or one above. */
function isTrusted(environment: NodeJS.ProcessEnv, cwd: string): boolean {
  const home = claudeHome(environment);
  const projects = home === null ? null : partOf(parseObject(readMemory(home) ?? '')?.projects);
  if (projects === null) return false;
  for (let at = cwd; ; at = path.dirname(at)) {
    if (partOf(projects[at])?.hasTrustDialogAccepted === true) return true;
    if (at === path.dirname(at)) return false;
  }
}

/** The flags that only claude understands. Those that it shares with codex and copilot have the same names. */
const OWN_FLAGS = {
  ...ALLOW_COMMIT,
  'allow-tool': { takes: 'texts', about: 'a tool the agent may use without asking (repeatable)' },
  'deny-tool': { takes: 'texts', about: 'a tool the agent may not use (repeatable)' },
  effort: { takes: 'choice', choices: ['low', 'medium', 'high', 'xhigh', 'max'], about: 'how hard the model thinks' },
  'json-schema': { takes: 'text', about: 'a JSON Schema: the answer is JSON that fits it' },
} as const satisfies Record<string, OwnFlag>;

type ClaudeOwn = OwnOf<typeof OWN_FLAGS>;

/** Works on latin1 text, byte by byte, so that the encoding is not changed. */
const escapePrompt = (text: string): string => (text.startsWith('/') ? `\n${text}` : text);

const schemaArgument = (schema: Readonly<Record<string, unknown>>): string => `--json-schema=${JSON.stringify(schema)}`;

/** Linux starts no process with a longer argument. */
const MAX_ARGUMENT_BYTES = 128 * 1024;

export const CLAUDE = {
  tool: 'claude',
  command: COMMANDS.claude,
  binary: 'claude',
  packageName: '@anthropic-ai/claude-code',
  features: FEATURES,
  defaultTimeoutMs: 300_000,
  own: OWN_FLAGS,
  argv: (request, overlay, own: ClaudeOwn = request.own) => [
    '-p',
    '--output-format',
    'stream-json',
    // Without it the CLI refuses that format.
    '--verbose',
    // Without it a long answer prints nothing until it is complete, and an idle deadline would end it.
    '--include-partial-messages',
    // Without it most hooks fail in silence.
    '--include-hook-events',
    ...(request.model === null ? [] : ['--model', request.model]),
    ...MODE[request.access],
    `--disallowedTools=${deniedIn(request.access, own['allow-tool'] ?? []).join(',')}`,
    ...(own['allow-tool'] ?? []).map((tool) => `--allowedTools=${tool}`),
    ...(mayCommit(request) ? COMMITS.map((rule) => `--allowedTools=${rule}`) : []),
    ...(own['deny-tool'] ?? []).map((tool) => `--disallowedTools=${tool}`),
    ...(own.effort === undefined ? [] : ['--effort', own.effort]),
    ...(own['json-schema'] === undefined || request.requires?.schema !== undefined
      ? []
      : [`--json-schema=${own['json-schema']}`]),
    ...(request.maxTurns === null ? [] : [`--max-turns=${request.maxTurns}`]),
    ...(request.maxUsd === undefined ? [] : [`--max-budget-usd=${Math.max(request.maxUsd, 0.000001).toFixed(6)}`]),
    ...overlay,
    request.resumeSession === null ? `--session-id=${request.newSession}` : `--resume=${request.resumeSession}`,
  ],
  environment: () => ({ NO_COLOR: '1', CLAUDE_CODE_STARTUP_FAILURE_RESULTS: '1' }),
  overlay: readOverlay,
  distrusts,
  refusesFolder: () => null,
  signIn: readClaudeSignIn,
  entries: ['claude.exe', 'cli.js', 'cli-wrapper.cjs'],
  prompt: { via: 'stdin', escape: escapePrompt, limit: { unit: 'bytes', max: 10_000_000 } },
  readEvent,
  readDocument: () => null,
  readStderr: null,
  log: {
    // Only its errors: then the log costs no time.
    request: (file) => ({ argv: [`--debug-file=${file}`], environment: { CLAUDE_CODE_DEBUG_LOG_LEVEL: 'error' } }),
    reader: () => readLog,
  },
  // The CLI names its servers before its first request; some are those of plugins or of an account.
  missingServer: () => null,
  ignores,
  // A hook, or a rule of the user's settings, also blocks what the call allows.
  allows: (denial, request) => {
    const commit = commitPermission(denial, request);
    if (commit !== undefined) return commit;
    const { tool, rule } = denial;
    const { 'allow-tool': allowed = [], 'deny-tool': refused = [] } = request.own as ClaudeOwn;
    const covers = (given: string) => given === tool || given === rule || isWithin(given, rule ?? '');
    const refusing = refused.find(covers);
    if (refusing !== undefined) return { flag: 'deny-tool', value: refusing };
    const setting = deniedBySettings(request, covers);
    if (setting !== null) return setting;
    if (allowed.some(covers)) return null;
    return request.access === 'read' && EDITS.includes(tool)
      ? { flag: 'access', value: 'write' }
      : { flag: 'allow-tool', value: rule ?? tool };
  },
  usageFile: null,
  answerSchema: {
    takes: (schema) => Buffer.byteLength(schemaArgument(schema)) < MAX_ARGUMENT_BYTES,
    argv: (schema) => [schemaArgument(schema)],
    refusesItself: true,
  },
  liveUsage: 'stream',
  endsAtUsd: true,
  usageCounts: 'call',
  sessionId: 'chosen',
  sessions: () => storeOf('claude'),
  route: async () => route,
  refusedInput: () => false,
  failureReport: null,
  asksAgain: 'at once',
  lingerMs: 5000,
} as const satisfies Adapter;

/** By default a headless claude only reads; `acceptEdits` keeps to its folder. Root may not bypass: tools are named. */
const MODE = {
  read: ['--permission-mode', 'default'],
  write: ['--permission-mode', 'acceptEdits'],
  full: [],
} as const satisfies Record<CallRequest['access'], readonly string[]>;

/** Tools that wake the model after its answer: by then the call has ended. */
const LATER = ['Monitor', 'ScheduleWakeup', 'CronCreate'];
const COMMITS = ['Bash(git add:*)', 'Bash(git commit:*)'];
const EDITS = ['Edit', 'Write', 'NotebookEdit'];

/** Whether an allowed rule such as `Bash(git push:*)` covers the rule of one call. */
const isWithin = (given: string, rule: string): boolean =>
  given.endsWith(':*)') && rule.startsWith(given.slice(0, -':*)'.length));

/** A rule that denies it wins over each that allows it. */
function deniedBySettings(request: CallRequest, covers: (rule: string) => boolean): Permission | null {
  for (const { file, settings } of readSettings(request)) {
    const value = listOf(partOf(settings?.permissions)?.deny).find((one) => typeof one === 'string' && covers(one));
    if (typeof value === 'string') return { flag: 'deny-tool', value, where: file };
  }
  return null;
}

/** A user's settings may allow edits for all calls; tools allowed for this call remain allowed. */
const deniedIn = (access: CallRequest['access'], allowed: readonly string[]): string[] => [
  ...LATER,
  ...(access === 'read' ? EDITS.filter((tool) => !allowed.some((rule) => rule.split('(')[0] === tool)) : []),
];
