// The scenarios of the model API, each with what must come of it. One model request for a failing call, unless told.

import type { MatrixRow } from './rows.ts';

/** claude says that it asks again and asks in the same moment: it is stopped where it stands, and that request may be on its way. A model takes a while for its answer, so there is no third. */
const ASKED_ON = { gemini: 1, codex: 1, copilot: 1, claude: 2 };

export const PLAIN_ROWS: readonly MatrixRow[] = [
  { name: 'ok', class: null, requests: 1 },
  // Whether a refusal is a failure is for the gate to say, which knows the task.
  { name: 'refusal', class: null, requests: 1, suite: ['codex', 'opencode'] },
  { name: 'slow-then-ok', class: null, requests: 1, suite: ['codex', 'qwen'] },
  { name: 'answer-429', class: null, requests: 1, suite: ['gemini', 'copilot', 'opencode'] },
  { name: 'answer-quota', class: null, requests: 1, suite: ['codex', 'qwen'] },
  { name: 'answer-401', class: null, requests: 1, suite: ['claude', 'qwen'] },
  { name: 'unicode', class: null, requests: 1 },
  { name: 'tool', class: null, requests: 2 },
  { name: 'large answer', scenario: 'long=1000000', class: null, requests: 1 },

  { name: '400key', class: 'auth', requests: 1, suite: ['gemini', 'opencode'] },
  { name: '400expired', class: 'auth', requests: 1, suite: ['copilot', 'qwen'] },
  { name: '400region', class: 'auth', requests: 1, suite: ['claude', 'opencode'] },
  { name: '401', class: 'auth', requests: 1 },
  { name: '401deactivated', class: 'auth', requests: 1, suite: ['codex', 'qwen'] },
  { name: '401 without a body', scenario: 'status=401', class: 'auth', requests: 1 },
  { name: '403', class: 'auth', requests: 1 },
  { name: '403disabled', class: 'auth', requests: 1, suite: ['gemini', 'opencode'] },
  { name: '403 page of a proxy', scenario: 'html=403', class: 'auth', requests: 1, suite: ['codex', 'opencode'] },
  { name: '402billing', class: 'quota', requests: 1, suite: ['copilot', 'qwen'] },
  { name: '429daily', class: 'quota', requests: 1, suite: ['gemini', 'copilot', 'opencode', 'qwen'] },
  // claude asks once more, without a stream.
  { name: '404', class: 'tooling', requests: { gemini: 1, codex: 1, copilot: 1, claude: 2 } },
  { name: '400model', class: 'tooling', requests: 1, suite: ['codex', 'qwen'] },

  { name: '408', class: 'transient', requests: 1, suite: ['codex', 'opencode'] },
  { name: '429', class: 'transient', requests: 1 },
  { name: '429plain', class: 'transient', requests: 1, suite: ['copilot', 'qwen'] },
  // An hour to wait is a limit with a reset; codex and claude do not say how long.
  {
    name: '429long',
    suite: ['gemini', 'copilot', 'opencode', 'qwen'],
    class: { gemini: 'quota', codex: 'transient', copilot: 'quota', claude: 'transient' },
    requests: 1,
  },
  { name: '500', class: 'transient', requests: 1, suite: ['claude', 'opencode'] },
  {
    name: '500 without a body',
    scenario: 'status=500',
    class: 'transient',
    requests: 1,
    suite: ['gemini', 'opencode'],
  },
  { name: '503', class: 'transient', requests: 1 },
  { name: '504', class: 'transient', requests: 1, suite: ['copilot', 'qwen'] },
  { name: '529', class: 'transient', requests: 1, suite: ['claude', 'qwen'] },
  { name: 'html502', class: 'transient', requests: 1, suite: ['gemini', 'codex', 'opencode'] },

  { name: 'empty', class: 'transient', requests: ASKED_ON },
  { name: 'blank', class: 'transient', requests: ASKED_ON, suite: ['codex', 'claude', 'qwen'] },
  { name: 'nodone', class: 'transient', requests: ASKED_ON },
  { name: 'garbage', class: 'transient', requests: 1 },
  { name: 'captive portal', scenario: 'html=200', class: 'transient', requests: 1, suite: ['copilot', 'opencode'] },
  { name: 'resetearly', class: 'transient', requests: 1, suite: ['codex', 'qwen'] },
  { name: 'reset', class: 'transient', requests: 1 },
  {
    name: 'slow',
    class: 'transient',
    exit: 'timeout',
    requests: 1,
    deadline: 'involved',
    suite: ['gemini', 'opencode'],
  },
  {
    name: 'slowstream',
    class: 'transient',
    exit: 'timeout',
    requests: 1,
    deadline: 'involved',
    suite: ['copilot', 'claude', 'opencode'],
  },

  { name: 'toolong', class: 'prompt_too_large', requests: 1 },
  { name: '413', class: 'prompt_too_large', requests: 1, suite: ['codex', 'opencode'] },
  { name: 'mismatch', class: 'tooling', requests: 1, suite: ['codex', 'qwen'] },
  { name: 'mismatch2', class: 'tooling', requests: 1, suite: ['claude', 'qwen'] },
  { name: 'toolong-event', class: 'prompt_too_large', requests: ASKED_ON, tools: ['codex', 'copilot', 'claude'] },
  {
    name: 'quota-event',
    class: 'quota',
    requests: ASKED_ON,
    tools: ['codex', 'copilot', 'claude'],
    suite: ['codex', 'opencode'],
  },
  {
    name: 'ratelimit-event',
    class: 'transient',
    requests: ASKED_ON,
    tools: ['codex', 'copilot', 'claude'],
    suite: ['claude', 'opencode'],
  },

  { name: 'tool-then-400', class: 'tooling', requests: 2, suite: ['claude', 'opencode'] },
  { name: 'tool-then-500', class: 'transient', requests: 2, suite: ['copilot', 'qwen'] },
  {
    name: 'tool-then-empty',
    class: 'transient',
    requests: { gemini: 2, codex: 2, copilot: 2, claude: 3 },
    suite: ['codex', 'claude', 'opencode'],
  },
  { name: 'tool exits 3', scenario: 'tool=exit 3', class: null, requests: 2, suite: ['copilot', 'qwen'] },
  {
    name: 'unknown tool',
    scenario: 'callraw=no_such_tool:{}',
    class: null,
    requests: 2,
    suite: ['codex', 'claude', 'opencode'],
  },

  { name: 'safety', class: 'contract_violation', requests: 1, tools: ['gemini', 'codex', 'claude'] },
  // gemini takes an answer that repeats itself for a loop, asks once more with a word against it, and stops.
  {
    name: 'repeat',
    suite: ['gemini', 'codex', 'opencode'],
    class: { gemini: 'transient', codex: null, copilot: null, claude: null },
    requests: { gemini: 2, codex: 1, copilot: 1, claude: 1 },
  },
  // Only codex and claude say that an answer was cut at the output limit; copilot asks twice more and takes what it gets.
  {
    name: 'maxtokens',
    class: { gemini: null, codex: 'contract_violation', copilot: null, claude: 'contract_violation' },
    requests: { gemini: 1, codex: 1, copilot: 3, claude: 2 },
    pieces: { gemini: 1, codex: 1, copilot: 3, claude: 1 },
  },
];
