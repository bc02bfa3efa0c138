// Defines rules, in unforeseen wordings, for a refused conversation: statements on roles, turns, parts, calls and results.

import { near } from './near.ts';
import type { Rule } from './rule.ts';

const OF_A_CONVERSATION = near(
  [
    'messages?(?:\\.\\d+|\\.?\\[\\d+\\])[\\w.[\\]]*',
    'contents(?:\\.parts|\\[\\d+\\])[\\w.[\\]]*',
    'input\\[\\d+\\][\\w.[\\]]*',
    "(?:tool|function)['`]?[ _-]?(?:use|calls?|call ids?|results?|responses?|outputs?|messages?)",
    'tool_(?:use|call)_ids?|call_ids?',
    '(?:redacted_)?thinking[`\'"]? (?:content )?blocks?|thought[ _]?signatures?|reasoning items?',
    'content blocks?|contents? (?:field|parts?)|parts field|text parameter',
    '(?:single|multi) ?-?turn requests?|(?:user|assistant|model) (?:turn|messages?)',
    '(?:input|output)_text',
    "roles?|message prefill|'content'",
  ].join('|'),
  [
    'must(?: not)?|should|expect(?:ed|s)?|ensure|requires?|required|at least',
    'without|missing|not found|no (?:corresponding|matching)|orphan(?:ed)?|unmatched|mismatch(?:ed)?|does(?: not|n.t) match',
    'duplicated?|multiple|single|same number|unique|twice|already',
    'unexpected|invalid|valid|corrupted|malformed|(?:non-|is |are |be )?empty',
    'alternat(?:e|es|ing)|consecutive|order|preced(?:e|es|ed|ing)|prece?eding|follow(?:s|ed|ing)?|immediately|end(?:s|ed)? with',
  ].join('|'),
).source;

/**
 * The same words also occur for what the caller may declare and set, and for size limits. Repairing a conversation does not help
 * with these.
 */
const OF_SOMETHING_ELSE = [
  'schema|max_(?:completion_|output_)?tokens|max_tokens|tool_choice|parallel_tool_calls|response_format|temperature',
  'tools?(?:\\.\\d|\\[)|function_?declarations?|(?:function|tool)s? names?',
  'too (?:long|large|many|big)|exceed(?:s|ed)?|maximum (?:length|context|number|size)|limit(?:s|ed)?|budgets?',
  'images?|media|audio|video|pdf|base64|urls?|documents?|files?',
  'models? (?:\\S+ )?(?:is|does|was|has|can|not)',
  '(?:not|un)supported|does not support|permissions?|iam|api[ _]?key|credentials?|subscription|billing',
].join('|');

const TEXT = new RegExp(`^(?![\\s\\S]*\\b(?:${OF_SOMETHING_ELSE})\\b)[\\s\\S]*?(?:${OF_A_CONVERSATION})`, 'i');

export const HISTORY_FORM_RULES = [
  {
    id: 'history-form',
    tool: 'any',
    source: 'any',
    match: { status: [400, 422], text: TEXT },
    class: 'tooling',
    reason: 'broken_history',
    proof: [
      { message: "Expected last role User or Tool for serving but got: 'assistant'", status: 400 },
      { message: 'Not the same number of function calls and responses', status: 400 },
      { message: 'messages.3: a tool result must have a matching call', status: 422 },
    ],
  },
  {
    // codex passes on the service's own words without their status.
    id: 'history-form-type',
    tool: 'any',
    source: 'any',
    match: { status: ['none'], code: ['invalid_request_error', 'invalid_argument'], text: TEXT },
    class: 'tooling',
    reason: 'broken_history',
    proof: [
      {
        message: 'The tool result of call_1 has no matching call.',
        type: 'invalid_request_error',
      },
    ],
  },
] as const satisfies readonly Rule[];
