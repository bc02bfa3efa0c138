// Describes each field of a manifest, for the help in an editor and for the comments of a new manifest.

import { namedTools, TOOLS } from '../facts/tools.ts';

interface ManifestField {
  /** One sentence without its full stop. */
  about: string;
  /** The value in a new manifest, as YAML; null for a group, or for a part that its parent's example shows. */
  example: string | null;
  /** The default; null if the field is required. */
  without: string | null;
}

type Row = readonly [about: string, example: string | null, without: string | null];

/** The fields of the worker and of the reasoner. @param access the default access. */
const partFields = (part: string, access: string): Record<string, Row> =>
  Object.fromEntries(
    Object.entries({
      tool: [`The CLI: ${namedTools('or')}`, null],
      model: ['The model', 'the default of the CLI'],
      account: ['The login: an account from your settings', 'the login of the environment'],
      effort: ['The reasoning effort of the model: low, medium, high, xhigh or max', 'the default of the CLI'],
      access: ['The permissions of the CLI: read, write (the working tree) or full (everything)', access],
      allow_tool: ['Tools that the agent may use in addition to `access`, in the syntax of the CLI', 'none'],
      allow_commit: ['Whether an agent with write access may commit', 'false'],
      requires_mcp: [
        'The MCP servers that must be connected, by name, or all',
        'none; a server that failed is a warning',
      ],
      on_denied: ['The result of a call in which a tool was denied: note or fail', 'note'],
      prompt: [
        'A prompt template for this part, relative to the task folder',
        'the template of the project, otherwise the built-in one',
      ],
      attach: ['Globs of files to include in each of its prompts', 'all of inputs/attachments/'],
      timeout_ms: ['The maximum duration of one call, in milliseconds', '1800000 (30 minutes)'],
      idle_timeout_ms: ['The maximum time without output from the CLI, in milliseconds', 'no limit'],
      start_timeout_ms: [
        'The maximum time until the first output of the CLI, in milliseconds; 0 means no limit',
        '120000 (2 minutes)',
      ],
      max_turns: ['The maximum number of model turns in one call', 'no limit'],
    } as const).map(([field, [about, without]]) => [`supervise.${part}.${field}`, [about, null, without]]),
  );

const SUPERVISE_FIELDS: Record<string, Row> = {
  supervise: [
    'Instead of stages, for `tollgate supervise`: a worker that gets each step from a reasoner',
    `{worker: {tool: ${TOOLS.at(-1)}}, reasoner: {tool: ${TOOLS[0]}}}`,
    'the task runs its stages',
  ],
  'supervise.worker': ['The CLI that carries out the instructions', null, null],
  ...partFields('worker', 'write'),
  'supervise.reasoner': ['The CLI that gives the instructions', null, null],
  ...partFields('reasoner', 'read'),
  'supervise.max_iterations': [
    'The maximum number of iterations; each is one call of the worker and one of the reasoner',
    null,
    '20',
  ],
  'supervise.stall_after': [
    'How many times in succession the reasoner may repeat an instruction that changes nothing in the tree',
    null,
    '3',
  ],
};

/** In the order in which they are written; `[]` is an item of a list. */
const ROWS: Record<string, Row> = {
  $schema: ['The path of TASK_SCHEMA.json, for an editor of a manifest in JSON', null, 'none'],
  task_id: ['The name of the task and of its folder: 1 to 128 characters of A-Z a-z 0-9 . _ -', 'fix-login', null],
  goal: ['The goal of the task, in one or two sentences', '"Fix the login."', null],
  meta: ['The sessions of the CLIs that the task continues', null, 'as below'],
  'meta.feature': ['The tag of the sessions', 'login', 'the id of the task'],
  'meta.session_id': ['The id of one session of the CLI to continue', '00000000-0000-4000-8000-000000000001', 'none'],
  cwd: [
    'The working directory of the CLIs, relative to the project root; outside of the project only in a trusted workspace',
    '.',
    'the project root',
  ],
  worktree: ['Whether the CLIs run in a separate git worktree of the task', 'true', 'false'],
  pipeline: ['A named list of stages; entries of `stages` with the same names change them', 'safe_impl', 'none'],
  stages: ['The stages in their order; each is one CLI in one role', null, 'the stages of `pipeline`'],
  'stages[].tool': [`The CLI: ${namedTools('or')}`, 'gemini', null],
  'stages[].role': [
    'The role: brief, test_design, impl, test_impl, static_verify, verify, review, review_consolidate, runbook, or a role of the project',
    'brief',
    null,
  ],
  'stages[].id': [
    'The name of the stage, if two would have the same: a-z 0-9 _ - starting with a letter',
    'first-look',
    '<tool>_<role>',
  ],
  'stages[].model': ['The model', 'some-model', 'the default of the CLI'],
  'stages[].account': [
    'The login: an account from your settings (`tollgate accounts` lists them)',
    null,
    'the login of the environment',
  ],
  'stages[].effort': [
    'The reasoning effort of the model, for codex and claude: low, medium, high, xhigh or (claude) max',
    'medium',
    'the default of the CLI',
  ],
  'stages[].access': [
    'The permissions of the CLI: read, write (the working tree) or full (everything)',
    'read',
    'write for the roles impl and test_impl; read for the others',
  ],
  'stages[].allow_tool': [
    'Tools that the agent may use in addition to `access`, in the syntax of the CLI, for copilot and claude',
    '["Bash(git push)"]',
    'none',
  ],
  'stages[].allow_commit': [
    'Whether an agent with write access may commit; without it codex makes the git folders read-only',
    'false',
    'false',
  ],
  'stages[].requires_mcp': [
    'The MCP servers that must be connected, by name, or all; otherwise the call fails (tooling, mcp_server)',
    '[tickets]',
    'none; a server that failed is a warning',
  ],
  'stages[].on_denied': [
    'The result of a call in which a tool was denied: note (a warning) or fail (contract_violation, tool_denied)',
    'fail',
    'note',
  ],
  'stages[].prompt': [
    'A prompt template for this role, relative to the task folder',
    'inputs/brief.md',
    'the template of the project, otherwise the built-in one',
  ],
  'stages[].attach': ['Globs of files to include in the prompt', '["attachments/**"]', 'all of inputs/attachments/'],
  'stages[].requires': ['The headings that the answer must have', '[Summary, Plan]', 'as the role says'],
  'stages[].min_lines': ['The minimum number of lines with text in the answer', '8', 'as the role says'],
  'stages[].diff': [
    'Whether the answer must contain a unified diff that applies (true or false); or which changes the prompt includes ({base: main} or {since: start})',
    'false',
    'true if the role changes the tree and the stage may not write; otherwise false',
  ],
  'stages[].diff.base': [
    'A branch or a commit: the changes since HEAD diverged from it, with uncommitted ones',
    null,
    'none',
  ],
  'stages[].diff.since': ['start: the changes since the start of the first run of the task', null, 'none'],
  'stages[].on_fail': [
    'The result of an answer whose section Verdict says FAIL: note (reported, the stage is done) or stop (the stage fails)',
    'stop',
    'stop for the role verify; note for the others',
  ],
  'stages[].schema': ['A JSON Schema for the answer, which must then be JSON', '{type: object}', 'none'],
  'stages[].timeout_ms': ['The maximum duration of one call, in milliseconds', '1800000', '1800000 (30 minutes)'],
  'stages[].idle_timeout_ms': ['The maximum time without output from the CLI, in milliseconds', '300000', 'no limit'],
  'stages[].start_timeout_ms': [
    'The maximum time until the first output of the CLI, in milliseconds; 0 means no limit',
    '120000',
    '120000 (2 minutes)',
  ],
  'stages[].max_turns': ['The maximum number of model turns in one call', '30', 'no limit'],
  'stages[].may_be_empty': ['Whether the stage may change nothing in the tree', 'false', 'false'],
  'stages[].fallback_on': [
    'The failures that call `fallback`, unless the attempt ran tools or changed files: quota, overloaded, model_not_found, auth',
    '[quota, overloaded]',
    'quota',
  ],
  'stages[].fallback': [
    'Other accounts, tools or models, called in this order after a failure that `fallback_on` names',
    '[{tool: codex, model: some-model}]',
    'none',
  ],
  'stages[].fallback[].tool': [`The CLI: ${namedTools('or')}`, null, 'as in the stage'],
  'stages[].fallback[].account': ['The login: an account from your settings', null, 'as in the stage'],
  'stages[].fallback[].model': ['The model', null, 'the default of the CLI'],
  ...SUPERVISE_FIELDS,
  scope: ['The files that the stages may change', null, 'as below'],
  'scope.allow': ['Globs of the files that they may change', '["src/**", "test/**"]', 'all files'],
  'scope.deny': [
    'Globs of the files that they may not change, even if `allow` matches them or git ignores them',
    '[".ci/**"]',
    'nothing',
  ],
  'scope.ignored': [
    'Whether all files that git ignores are checked too, not only those of `deny` and `forbidden_paths`',
    'false',
    'false',
  ],
  acceptance: ['The conditions for a finished task', null, 'as below'],
  'acceptance.commands': ['Commands that must succeed after a verify stage', '[npm test]', 'none'],
  'acceptance.criteria': [
    'Sentences that the answer and the change must satisfy',
    '["A wrong password is refused."]',
    'none',
  ],
  'acceptance.timeout_ms': ['The maximum duration of each command, in milliseconds', '600000', '600000 (10 minutes)'],
  budgets: ['The limits of cost and time', null, 'as below'],
  'budgets.paid_call_budget': ['The maximum number of paid calls, with retries', '10', '10'],
  'budgets.retry_budget': ['The maximum number of retries of a stage in one run', '2', '2'],
  'budgets.nested_calls': [
    'The paid calls that the agent of one call may start itself, charged to this task',
    '2',
    '0',
  ],
  'budgets.max_wallclock_sec': ['The maximum duration of one run, in seconds', '7200', 'no limit'],
  'budgets.max_tokens': [
    'The maximum number of tokens; a call that reaches it is ended, and no further call starts',
    '2000000',
    'no limit',
  ],
  'budgets.max_usd': [
    'The maximum cost in US dollars, as far as prices are known; a call that reaches it is ended, and no further call starts',
    '5.00',
    'no limit',
  ],
  context: ['The handling of long prompts', null, 'as below'],
  'context.digest_policy': [
    'When a prompt is shortened: off (never), auto (above the limit of the tool, 400,000 characters by default) or aggressive',
    'auto',
    'auto',
  ],
  security: ['Protection of secrets, and trust', null, 'as below'],
  'security.redaction_patterns': [
    'Regular expressions of text that is removed from every published file',
    "['ACME-\\d+']",
    'none; known kinds of secrets are always removed',
  ],
  'security.forbidden_paths': ['Globs of files that no prompt may include', '["**/*.pem"]', 'none'],
  'security.trust_workspace': [
    'Whether the CLIs may use the hooks and servers of the folder; ignored if git tracks the manifest',
    'false',
    'false',
  ],
  'security.env_allow': [
    'The environment variables that the CLIs get, in addition to the few that every program needs',
    '[GEMINI_API_KEY, OPENAI_API_KEY]',
    'all',
  ],
};

export const MANIFEST_FIELDS: Record<string, ManifestField> = Object.fromEntries(
  Object.entries(ROWS).map(([field, [about, example, without]]) => [field, { about, example, without }]),
);
