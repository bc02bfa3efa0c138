// The gemini CLI.

import { COMMANDS } from '../../policies/facts/tools.ts';
import type { Adapter, CallRequest } from '../adapter.ts';
import { readDocument } from './document.ts';
import { escapePrompt } from './escape.ts';
import { OUTSIDE, readEvent, readLog, readStderr } from './events.ts';
import { FAILURE_REPORT } from './failure-report.ts';
import { FEATURES } from './features.ts';
import { overlay as readOverlay } from './overlay.ts';
import { type GeminiOwn, OWN_FLAGS } from './own-flags.ts';
import { missingServer } from './servers.ts';
import { readGeminiSignIn } from './sign-in.ts';
import { refusesFolder } from './trust.ts';

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
    // The launcher swallows TERM, INT and HUP; without it there is one process less to start and to end.
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
  // The CLI cuts stdin at 8 MiB and goes on with half a prompt.
  prompt: { via: 'stdin', escape: escapePrompt, limit: { unit: 'bytes', max: 8 * 1024 * 1024 } },
  readEvent,
  readDocument,
  readStderr,
  log: { variable: 'GEMINI_DEBUG_LOG_FILE', readLine: readLog },
  missingServer,
  allows({ tool, rule }, { access }) {
    if (rule === OUTSIDE) return { flag: 'cwd', value: 'a folder that contains the path' };
    if (access === 'full') return null;
    return { flag: 'access', value: access === 'read' && WRITES.includes(tool) ? 'write' : 'full' };
  },
  usageFile: null,
  usageCounts: 'call',
  sessionId: 'announced',
  sessions: async () => (await import('./sessions/store.ts')).GEMINI_SESSIONS,
  route: async () => (await import('./route.ts')).route,
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
