// Defines the rules for a broken conversation, in known and in unforeseen wordings.

import { near, REFUSED, type RuleRow } from './rule.ts';

export const HISTORY_RULES = [
  {
    // An image or document that the service cannot read remains in the conversation, and each further request sends it again.
    id: 'history-media',
    status: REFUSED,
    needs: ['image', 'pdf', 'document.source'],
    text: /\b(?:could not|unable to|cannot|failed to) (?:process|decode|read) (?:the )?(?:input )?image\b|\bimage (?:exceeds|in the conversation exceeds|was too large|dimensions? exceeds?|appears to be)\b|\bimage dimensions exceed\b|\bnot represent a valid image\b|\binvalid image\b|\bimage_url'|\bimage\.source\.base64|\b(?:document|pdf)\.source\.base64|\bimage was specified using the image\/|\binput(?:\[\d+\])?[\w.[\]]*image_url\b|\bPDF specified (?:was|is) (?:not valid|password[- ]protected)\b|\bmaximum of \d{1,5} PDF pages\b|\btoo many (?:images|PDFs)\b/i,
    class: 'tooling',
    reason: 'broken_history',
    proof: [
      { message: 'Could not process image', status: 400, type: 'invalid_request_error' },
      {
        message: 'messages.16.content.2.image.source.base64: image exceeds 5 MB maximum: 6521204 bytes > 5242880 bytes',
        status: 400,
      },
      { message: 'The PDF specified is password protected.', status: 400 },
      { message: 'messages: too many images and documents: 101 + 0 > 100', status: 400 },
    ],
  },
  {
    id: 'history-function-parts',
    status: REFUSED,
    needs: [
      'function call',
      'function response',
      'missing a thought',
      'alternate between',
      'turn requests',
      'contents.parts',
      'valid role:',
    ],
    text: /\bfunction (?:call|response) (?:parts?|turn)\b|missing a thought_?signature|requests alternate between user and model|\bturn requests ends? with a user role\b|\bcontents\.parts must not be empty|\bvalid role: user, model\b/i,
    class: 'tooling',
    reason: 'broken_history',
    proof: [
      {
        message:
          'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
        status: 400,
        code: 'INVALID_ARGUMENT',
      },
    ],
  },
  {
    // claude's own words; it does not report what the service said.
    id: 'history-code',
    tool: 'claude',
    text: /\btool use concurrency issues\b/i,
    class: 'tooling',
    reason: 'broken_history',
    proof: [
      { message: 'API Error: 400 due to tool use concurrency issues.', status: 400, code: 'tool_history_mismatch' },
    ],
  },
  {
    id: 'history-tool-calls',
    status: REFUSED,
    needs: [
      'no tool',
      'no function call',
      'tool_call',
      "tool' message",
      'tool message',
      'be a response to',
      'duplicate value',
      'invalid value',
    ],
    text: /no tool (?:call )?output found for|no (?:tool|function) call found for|tool_call_?ids?\b.{0,60}\b(?:respon|follow)|\btool'? messages? must|must be followed by tool messages|must be a response to a prece+ding message|\bduplicate value for 'tool_call_id'|\binvalid value: '(?:in|out)put_text'/i,
    class: 'tooling',
    reason: 'broken_history',
    proof: [{ message: 'No tool output found for function call call_1.', status: 400, type: 'invalid_request_error' }],
  },
  {
    id: 'history-blocks',
    status: REFUSED,
    needs: [
      'tool_use',
      'thinking',
      'without its required',
      'encrypted content',
      'duplicate item',
      'item with id',
      'items',
      'roles must',
      'content',
      'first message',
      'end with a user',
      'surrogate',
      'trailing whitespace',
    ],
    text: /tool_use\b.{0,40}\bwithout\b.{0,20}tool_result|tool_use_id.{0,20}found in .{0,10}tool_result|thinking.{0,10} blocks?.{0,40}\b(?:cannot be modified|signature)|without its required .{1,20} ?item|\bencrypted content\b.{0,80}\b(?:verified|decrypted|parsed)|\bduplicate item\b|\bitems? with id\b.{0,100}\bnot found|\bitems are not persisted\b|\binvalid .{0,3}signature.{0,3} in .{0,3}thinking\b|roles must alternate|\beach tool_use must have a single result\b|\bexpected .?thinking\b.{0,40}\bbut found\b|\btext content blocks must be (?:non-empty|unique)|\btool_use\b.{0,4} ids must be unique|\bmust have non-empty content\b|\bfirst message must use the .{0,2}user\b|\bmust end with a user message\b|\breasoning_content\b[^\n]{0,60}\b(?:must be passed back|is missing|required)\b|\b(?:low|lone|unpaired) (?:leading )?surrogate\b|\bcannot end with trailing whitespace\b/i,
    class: 'tooling',
    reason: 'broken_history',
    proof: [
      {
        message: 'messages.4: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1',
        status: 400,
      },
    ],
  },
] as const satisfies readonly RuleRow[];

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
    'can(?:not|.t) (?:begin|start|end|follow|be (?:empty|followed|preceded|the (?:first|last)|[`\'"]\\w+))',
    'duplicated?|multiple|single|same number|unique|twice|already',
    'unexpected|invalid|valid|corrupted|malformed|(?:non-|is |are |be )?empty',
    'alternat(?:e|es|ing)|consecutive|order|preced(?:e|es|ed|ing)|prece?eding|follow(?:s|ed|ing)?|immediately|end(?:s|ed)? with',
  ].join('|'),
).source;

/** These words also occur for what the caller declares, and for size limits, where a repair does not help. */
const OF_SOMETHING_ELSE = [
  'schema|max_(?:completion_|output_)?tokens|max_tokens|tool_choice|parallel_tool_calls|response_format|temperature',
  'tools?(?:\\.\\d|\\[)|function_?declarations?|(?:function|tool)s? names?',
  'too (?:long|large|many|big)|exceed(?:s|ed)?|maximum (?:length|context|number|size)|limit(?:s|ed)?|budgets?',
  'images?|media|audio|video|pdf|base64|urls?|documents?|files?',
  'models? (?:\\S+ )?(?:is|does|was|has|can|not)',
  '(?:not|un)supported|does not support|permissions?|iam|api[ _]?key|credentials?|subscription|billing',
].join('|');

const TEXT = new RegExp(`^(?![\\s\\S]*\\b(?:${OF_SOMETHING_ELSE})\\b)[\\s\\S]*?(?:${OF_A_CONVERSATION})`, 'i');

/** In unforeseen wordings: statements on roles, turns, parts, calls and results. */
export const HISTORY_FORM_RULES = [
  {
    id: 'history-form',
    status: [400, 422],
    text: TEXT,
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
    status: ['none'],
    code: ['invalid_request_error', 'invalid_argument'],
    text: TEXT,
    class: 'tooling',
    reason: 'broken_history',
    proof: [
      {
        message: 'The tool result of call_1 has no matching call.',
        type: 'invalid_request_error',
      },
    ],
  },
] as const satisfies readonly RuleRow[];
