// Defines the scenarios by name: the reply of the model API, and its reply once a tool has answered.

import { writeLongText } from './long-text.ts';
import { REJECTIONS, type RejectionName } from './rejections.ts';
import type { Reply, Saying } from './reply.ts';

interface Scenario {
  reply: Reply;
  /** The reply once the caller has sent a tool's result; the same reply if absent. */
  afterTool?: Reply;
  /** Accepts a conversation that the real services refuse. */
  lax?: true;
}

export const ANSWER = 'CANNED-ANSWER 42';
const ANSWER_AFTER_TOOL = 'DONE-AFTER-TOOL';
export const REFUSAL = "I'm sorry, but I can't help with that request.";

const says = (text: string, end: Saying['end'] = 'stop'): Reply => ({ how: 'says', saying: { text, tool: null, end } });
const rejects = (name: RejectionName): Reply => ({ how: 'rejects', with: name });
const done = says(ANSWER_AFTER_TOOL);

/**
 * Fast for a model, in milliseconds. After an immediate answer a CLI would send further requests before its reader can see it.
 * On a busy machine it sends three more requests before the reader of its stream gets the processor.
 */
const PACE_MS = 200;

const paced = (text: string, end: Saying['end']): Reply => ({
  how: 'says',
  saying: { text, tool: null, end },
  afterMs: PACE_MS,
});

const SCENARIOS: Record<string, Scenario> = {
  ok: { reply: says(ANSWER) },
  unicode: { reply: says('naïve — 日本語 👍 “quoted” \t tabbed') },
  blank: { reply: says(' \n\n') },
  refusal: { reply: says(REFUSAL) },
  empty: { reply: says('') },
  nodone: { reply: paced(ANSWER, 'unfinished') },
  garbage: {
    reply: { how: 'sends', status: 200, type: 'text/event-stream', bytes: 'data: {"not json <<<>>>\n\n%%%\n\n' },
  },
  reset: { reply: says(ANSWER, 'cut') },
  resetearly: { reply: { how: 'resets' } },
  slow: { reply: { how: 'stays_silent', until: 'forever' } },
  stalls: { reply: { how: 'stalls' } },
  'tool-then-stalls': { reply: { how: 'runs', command: 'echo tool-ran-ok' }, afterTool: { how: 'stalls' } },
  slowstream: { reply: { how: 'stays_silent', until: 'headers' } },
  'slow-then-ok': { reply: { how: 'says', saying: { text: ANSWER, tool: null, end: 'stop' }, afterMs: 3_000 } },
  html502: {
    reply: {
      how: 'sends',
      status: 502,
      type: 'text/html',
      bytes: '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>',
    },
  },
  maxtokens: { reply: paced('The beginning of an answer that was cut at the output limit', 'max_tokens') },
  safety: { reply: says('', 'safety') },
  blocked: { reply: says('', 'blocked') },
  repeat: { reply: says('The same words again and again. '.repeat(400)) },
  'answer-429': { reply: says('The log shows "429 Too Many Requests" and RESOURCE_EXHAUSTED; raise the limit.') },
  'answer-quota': { reply: says('Quota exceeded is what users see: "You exceeded your current quota". Fix the text.') },
  'answer-401': { reply: says('The endpoint answers 401 Unauthorized: invalid api key. Sign in again.') },
  tool: { reply: { how: 'runs', command: 'echo tool-ran-ok' }, afterTool: done },
  'tool-then-400': { reply: { how: 'runs', command: 'echo tool-ran-ok' }, afterTool: rejects('mismatch') },
  'tool-then-500': { reply: { how: 'runs', command: 'echo tool-ran-ok' }, afterTool: rejects('500') },
  'tool-then-empty': { reply: { how: 'runs', command: 'echo tool-ran-ok' }, afterTool: says('') },
  toolsleep: { reply: { how: 'runs', command: 'sleep 321' }, afterTool: done },
  toolloop: { reply: { how: 'runs', command: 'echo tool-ran-ok', afterMs: PACE_MS } },
  'toolong-event': {
    reply: {
      how: 'fails_in_stream',
      afterMs: PACE_MS,
      code: 'context_length_exceeded',
      message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
    },
  },
  'quota-event': {
    reply: {
      how: 'fails_in_stream',
      afterMs: PACE_MS,
      code: 'insufficient_quota',
      message: 'You exceeded your current quota.',
    },
  },
  'ratelimit-event': {
    reply: {
      how: 'fails_in_stream',
      afterMs: PACE_MS,
      code: 'rate_limit_exceeded',
      message: 'Rate limit reached for gpt-x. Please try again in 1.5s.',
    },
  },
};

/** Scenarios with a value, such as `long=1000` or `tool=ls -l`; in a URL they are encoded. */
const FAMILIES: Record<string, (value: string) => Scenario> = {
  /** This HTTP status without a body, as a proxy may send it. */
  status: (code) => ({ reply: { how: 'sends', status: Number(code), type: 'text/plain', bytes: '' } }),
  /** This HTTP status with a page for users; 200 is what a captive portal sends. */
  html: (code) => ({
    reply: { how: 'sends', status: Number(code), type: 'text/html', bytes: '<html><body>Please wait</body></html>' },
  }),
  /** Another scenario without checks of the conversation; otherwise the API is as strict as the real services. */
  lax: (name) => ({ ...readScenario(name), lax: true }),
  long: (length) => ({ reply: says(writeLongText(Number(length))) }),
  says: (text) => ({ reply: says(text) }),
  after: (ms) => ({
    reply: { how: 'says', saying: { text: ANSWER, tool: null, end: 'stop' }, afterMs: Number(ms) },
  }),
  tool: (command) => ({ reply: { how: 'runs', command }, afterTool: done }),
  /** The command on the first line, then the rest as the answer. */
  work: (lines) => {
    const [command = '', ...answer] = lines.split('\n');
    return { reply: { how: 'runs', command }, afterTool: says(answer.join('\n')) };
  },
  /** The refusal that a subscriber of Anthropic gets beyond the plan: `five_hour` or `seven_day`. */
  planlimit: (claim) => ({ reply: beyondPlan(claim) }),
  /** Passes this JSON to the tool for a structured answer, as claude offers it for a schema. */
  structured: (json) => ({
    reply: {
      how: 'says',
      saying: { text: '', tool: { name: 'StructuredOutput', args: JSON.parse(json) }, end: 'stop' },
    },
    afterTool: says(json),
  }),
  /** `callraw=<tool>:<json arguments>` calls any tool, offered or not. */
  callraw: (call) => ({ reply: calls(call), afterTool: done }),
  /** The same after another tool, too; `<server>/<tool>` if a dialect names both. */
  callnext: (call) => ({ reply: calls(call) }),
};

function calls(call: string): Reply {
  const [, namespace, name = '', args = '{}'] = /^(?:([^/:]+)\/)?([^:]*):(.*)$/s.exec(call) ?? [];
  const tool = { name, args: JSON.parse(args), ...(namespace === undefined ? {} : { namespace }) };
  return { how: 'says', saying: { text: '', tool, end: 'stop' } };
}

const PLAN_ENDS = Date.UTC(2026, 10, 30) / 1000;

const beyondPlan = (claim: string): Reply => ({
  how: 'sends',
  status: 429,
  type: 'application/json',
  bytes: JSON.stringify({
    type: 'error',
    error: { type: 'rate_limit_error', message: "This request would exceed your account's rate limit." },
  }),
  headers: {
    'retry-after': '3600',
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': String(PLAN_ENDS),
    'anthropic-ratelimit-unified-representative-claim': claim,
  },
});

export const SCENARIO_NAMES = [...Object.keys(SCENARIOS), ...(Object.keys(REJECTIONS) as RejectionName[])];

/** Parses a name, a rejection's name or `family=value`. Throws on any other, so that a typing error never counts as `ok`. */
export function readScenario(name: string): Scenario {
  if (name in REJECTIONS) return { reply: rejects(name as RejectionName) };
  const plain = SCENARIOS[name];
  if (plain) return plain;
  const [, family = '', value = ''] = /^(\w+)=(.*)$/s.exec(name) ?? [];
  const build = FAMILIES[family];
  if (!build) throw new Error(`no scenario ${JSON.stringify(name)}`);
  return build(value);
}
