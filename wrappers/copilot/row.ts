// The copilot CLI.

import { COMMANDS } from '../../policies/facts/tools.ts';
import { type Adapter, type CallRequest, NO_OVERLAY } from '../adapter.ts';
import { escapePrompt } from './escape.ts';
import { readEvent } from './events.ts';
import { FEATURES } from './features.ts';
import { type CopilotOwn, OWN_FLAGS } from './own-flags.ts';
import { readCopilotSignIn } from './sign-in.ts';
import { readUsage } from './usage.ts';

export const COPILOT = {
  tool: 'copilot',
  command: COMMANDS.copilot,
  binary: 'copilot',
  packageName: '@github/copilot',
  features: FEATURES,
  defaultTimeoutMs: 300_000,
  own: OWN_FLAGS,
  argv: (request, overlay, own: CopilotOwn = request.own) => [
    '--output-format',
    'json',
    ...(request.model === null ? [] : ['--model', request.model]),
    '--no-ask-user',
    '--no-auto-update',
    '--no-color',
    ...ACCESS[request.access],
    ...(own['allow-tool'] ?? []).map((tool) => `--allow-tool=${tool}`),
    ...(own['deny-tool'] ?? []).map((tool) => `--deny-tool=${tool}`),
    ...overlay,
    // Without it a resumed session works in the folder that it worked in last, wherever it is resumed.
    ...(request.resumeSession === null
      ? [`--session-id=${request.newSession}`]
      : ['-C', request.cwd, `--resume=${request.resumeSession}`]),
  ],
  environment: () => ({ NO_COLOR: '1', COPILOT_AUTO_UPDATE: 'false' }),
  // The CLI has no switch for its inner retries (5 more requests); it announces each a second or more before it sends it.
  overlay: () => NO_OVERLAY,
  distrusts: () => null,
  refusesFolder: () => null,
  signIn: readCopilotSignIn,
  entries: ['npm-loader.js', 'index.js'],
  prompt: { via: 'stdin', escape: escapePrompt, limit: null },
  readEvent,
  readDocument: () => null,
  readStderr: null,
  usageFile: { argument: (file) => `--usage-output-file=${file}`, read: readUsage },
  usageCounts: 'session',
  sessionId: 'chosen',
  sessions: async () => (await import('./sessions/store.ts')).COPILOT_SESSIONS,
  route: async () => (await import('./route.ts')).route,
  // It counts the prompt's tokens against the model's budget before it asks.
  refusedInput: (ended) => ended.class === 'prompt_too_large' && !ended.requests,
  failureReport: null,
  asksAgain: 'after a wait',
  lingerMs: 5000,
} as const satisfies Adapter;

/** Without a permission the CLI itself lets commands through that only look; paths outside the folder need a flag of their own. */
const ACCESS = {
  read: [],
  write: ['--allow-all-tools'],
  full: ['--allow-all-tools', '--allow-all-paths'],
} as const satisfies Record<CallRequest['access'], readonly string[]>;
