// Calls that fail on this side of the model: addresses, credentials, binaries, prompts, sessions, trust.

import type { MatrixRow } from './rows.ts';

const UNKNOWN_SESSION = '11111111-2222-4333-8444-555555555555';

export const SPECIAL_ROWS: readonly MatrixRow[] = [
  { name: 'refused connection', scenario: 'ok', class: 'transient', requests: 0, setup: { address: 'refused' } },
  { name: 'DNS failure', scenario: 'ok', class: 'transient', requests: 0, setup: { address: 'unknown host' } },
  {
    name: 'no credentials',
    scenario: 'ok',
    class: 'auth',
    requests: 0,
    setup: { credentials: 'missing' },
    tools: ['gemini', 'codex', 'claude'], // copilot calls a provider of one's own without a key, too
  },
  {
    name: 'untrusted folder',
    scenario: 'ok',
    class: 'tooling',
    requests: 0,
    setup: { trust: 'none' },
    tools: ['gemini', 'codex', 'claude'], // copilot knows no trust of folders when headless
  },
  {
    name: 'missing binary',
    scenario: 'ok',
    class: 'tooling',
    exit: 'missingBinary',
    requests: 0,
    setup: { binary: 'missing' },
  },
  {
    name: 'missing prompt file',
    scenario: 'ok',
    class: 'tooling',
    exit: 'badInput',
    requests: 0,
    setup: { prompt: 'no file' },
  },
  { name: 'blank prompt', scenario: 'ok', class: 'tooling', exit: 'badInput', requests: 0, setup: { prompt: ' \n' } },
  {
    name: 'giant prompt (5 MB)',
    scenario: 'ok',
    class: 'prompt_too_large',
    exit: { gemini: 'failure', codex: 'badInput', copilot: 'badInput', claude: 'failure' },
    requests: 0,
    setup: { prompt: 'word '.repeat(1_048_576) },
  },
  {
    name: 'unknown session',
    scenario: 'ok',
    class: 'tooling',
    exit: { gemini: 'geminiInput', codex: 'failure', copilot: 'failure', claude: 'failure' },
    requests: 0,
    setup: { flags: ['--resume-session', UNKNOWN_SESSION] },
  },
  {
    name: 'turn limit in an endless tool loop',
    scenario: 'toolloop',
    class: 'contract_violation',
    // codex and copilot have no switch: the call is cut when the last tool begins, and the next request may already be on its way.
    requests: { gemini: 2, codex: 3, copilot: 3, claude: 2 },
    setup: { flags: ['--max-turns', '2'] },
  },
  {
    name: 'gemini by key: ok',
    scenario: 'ok',
    class: null,
    requests: 1,
    setup: { route: 'gemini by key' },
    tools: ['gemini'],
  },
  {
    name: 'gemini by key: 503',
    scenario: '503',
    class: 'transient',
    requests: 1,
    setup: { route: 'gemini by key' },
    tools: ['gemini'],
  },
  {
    name: 'codex by key: ok',
    scenario: 'ok',
    class: null,
    requests: 1,
    setup: { route: 'codex by key' },
    tools: ['codex'],
  },
  {
    name: 'codex by key: 500',
    scenario: '500',
    class: 'transient',
    requests: 1,
    setup: { route: 'codex by key' },
    tools: ['codex'],
  },
  {
    name: 'copilot by responses: ok',
    scenario: 'ok',
    class: null,
    requests: 1,
    setup: { route: 'copilot by responses' },
    tools: ['copilot'],
  },
  {
    name: 'copilot by messages: 529',
    scenario: '529',
    class: 'transient',
    requests: 1,
    setup: { route: 'copilot by messages' },
    tools: ['copilot'],
  },
  {
    name: 'claude by login: 429',
    scenario: '429',
    class: 'transient',
    requests: 1,
    setup: { route: 'claude by login' },
    tools: ['claude'],
  },
  {
    // Its announcement says nothing of the key, and comes with the next request.
    name: 'claude by login: 401',
    scenario: '401',
    class: 'auth',
    requests: 1,
    setup: { route: 'claude by login' },
    tools: ['claude'],
  },
];
