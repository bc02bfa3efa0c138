// The claude CLI.

import { COMMANDS } from '../../policies/facts/tools.ts';
import type { Adapter, CallRequest } from '../adapter.ts';
import { commitPermission, mayCommit } from '../own-flags.ts';
import { escapePrompt } from './escape.ts';
import { readEvent } from './events.ts';
import { FEATURES } from './features.ts';
import { overlay as readOverlay } from './overlay.ts';
import { type ClaudeOwn, OWN_FLAGS } from './own-flags.ts';
import { readClaudeSignIn } from './sign-in.ts';
import { distrusts } from './trust.ts';

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
    // Without it a long answer prints nothing until it is whole, and an idle deadline would end it.
    '--include-partial-messages',
    ...(request.model === null ? [] : ['--model', request.model]),
    ...MODE[request.access],
    `--disallowedTools=${deniedIn(request.access, own['allow-tool'] ?? []).join(',')}`,
    ...(own['allow-tool'] ?? []).map((tool) => `--allowedTools=${tool}`),
    ...(mayCommit(request) ? COMMITS.map((rule) => `--allowedTools=${rule}`) : []),
    ...(own['deny-tool'] ?? []).map((tool) => `--disallowedTools=${tool}`),
    ...(own.effort === undefined ? [] : ['--effort', own.effort]),
    ...(own['json-schema'] === undefined ? [] : [`--json-schema=${own['json-schema']}`]),
    ...(request.maxTurns === null ? [] : [`--max-turns=${request.maxTurns}`]),
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
  log: null,
  // The CLI names its servers before its first request; some are those of plugins or of an account.
  missingServer: () => null,
  allows: (denial, request) => {
    const commit = commitPermission(denial, request);
    if (commit !== undefined) return commit;
    const { tool, rule } = denial;
    return request.access === 'read' && EDITS.includes(tool)
      ? { flag: 'access', value: 'write' }
      : { flag: 'allow-tool', value: rule ?? tool };
  },
  usageFile: null,
  usageCounts: 'call',
  sessionId: 'chosen',
  sessions: async () => (await import('./sessions/store.ts')).CLAUDE_SESSIONS,
  route: async () => (await import('./route.ts')).route,
  refusedInput: () => false,
  failureReport: null,
  asksAgain: 'at once',
  lingerMs: 5000,
} as const satisfies Adapter;

/** In its default mode a headless claude runs only what looks; `acceptEdits` keeps to the working folder. Root may not bypass: the overlay allows the tools by name. */
const MODE = {
  read: ['--permission-mode', 'default'],
  write: ['--permission-mode', 'acceptEdits'],
  full: [],
} as const satisfies Record<CallRequest['access'], readonly string[]>;

/** What wakes the model after its answer: by then the call is over. */
const LATER = ['Monitor', 'ScheduleWakeup', 'CronCreate'];
const COMMITS = ['Bash(git add:*)', 'Bash(git commit:*)'];
const EDITS = ['Edit', 'Write', 'NotebookEdit'];

/** A user's own settings may allow edits to all calls; what is allowed to this one stays so. */
const deniedIn = (access: CallRequest['access'], allowed: readonly string[]): string[] => [
  ...LATER,
  ...(access === 'read' ? EDITS.filter((tool) => !allowed.some((rule) => rule.split('(')[0] === tool)) : []),
];
