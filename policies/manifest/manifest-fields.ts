// Describes each field of a manifest, for the help in an editor and for the comments of a new manifest.

import { namedTools, TOOLS } from '../facts/tools.ts';

/** The help of one field. */
interface ManifestField {
  /** One sentence without its full stop. */
  about: string;
  /** The value in a new manifest, as YAML; null for a group, or for a part that its parent's example shows. */
  example: string | null;
  /** The default; null if the field is required. */
  without: string | null;
}

/** The fields of the worker and of the reasoner. @param access the default access. */
const partFields = (part: string, access: string): Record<string, ManifestField> =>
  Object.fromEntries(
    Object.entries({
      tool: [`The CLI: ${namedTools('or')}`, null],
      model: ['The model', 'the default of the CLI'],
      account: ['The login: an account from your settings', 'the login of the environment'],
      effort: ['The reasoning effort of the model: low, medium, high or xhigh', 'the default of the CLI'],
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
    } as const).map(([field, [about, without]]) => [`supervise.${part}.${field}`, { about, example: null, without }]),
  );

const SUPERVISE_FIELDS: Record<string, ManifestField> = {
  supervise: {
    about: 'Instead of stages, for `tollgate supervise`: a worker that gets each step from a reasoner',
    example: `{worker: {tool: ${TOOLS.at(-1)}}, reasoner: {tool: ${TOOLS[0]}}}`,
    without: 'the task runs its stages',
  },
  'supervise.worker': { about: 'The CLI that carries out the instructions', example: null, without: null },
  ...partFields('worker', 'write'),
  'supervise.reasoner': { about: 'The CLI that gives the instructions', example: null, without: null },
  ...partFields('reasoner', 'read'),
  'supervise.max_iterations': {
    about: 'The maximum number of iterations; each is one call of the worker and one of the reasoner',
    example: null,
    without: '20',
  },
  'supervise.stall_after': {
    about: 'How many times in succession the reasoner may repeat an instruction that changes nothing in the tree',
    example: null,
    without: '3',
  },
};

/** In the order in which they are written; `[]` is an item of a list. */
export const MANIFEST_FIELDS: Record<string, ManifestField> = {
  $schema: {
    about: 'The path of TASK_SCHEMA.json, for an editor of a manifest in JSON',
    example: null,
    without: 'none',
  },
  task_id: {
    about: 'The name of the task and of its folder: 1 to 128 characters of A-Z a-z 0-9 . _ -',
    example: 'fix-login',
    without: null,
  },
  goal: { about: 'The goal of the task, in one or two sentences', example: '"Fix the login."', without: null },
  meta: { about: 'The sessions of the CLIs that the task continues', example: null, without: 'as below' },
  'meta.feature': {
    about: 'The tag of the sessions',
    example: 'login',
    without: 'the id of the task',
  },
  'meta.session_id': {
    about: 'The id of one session of the CLI to continue',
    example: '00000000-0000-4000-8000-000000000001',
    without: 'none',
  },
  cwd: {
    about:
      'The working directory of the CLIs, relative to the project root; outside of the project only in a trusted workspace',
    example: '.',
    without: 'the project root',
  },
  worktree: {
    about: 'Whether the CLIs run in a separate git worktree of the task',
    example: 'true',
    without: 'false',
  },
  pipeline: {
    about: 'A named list of stages; entries of `stages` with the same names change them',
    example: 'safe_impl',
    without: 'none',
  },
  stages: {
    about: 'The stages in their order; each is one CLI in one role',
    example: null,
    without: 'the stages of `pipeline`',
  },
  'stages[].tool': { about: `The CLI: ${namedTools('or')}`, example: 'gemini', without: null },
  'stages[].role': {
    about:
      'The role: brief, test_design, impl, test_impl, static_verify, verify, review, review_consolidate, runbook, or a role of the project',
    example: 'brief',
    without: null,
  },
  'stages[].id': {
    about: 'The name of the stage, if two would have the same: a-z 0-9 _ - starting with a letter',
    example: 'first-look',
    without: '<tool>_<role>',
  },
  'stages[].model': { about: 'The model', example: 'some-model', without: 'the default of the CLI' },
  'stages[].account': {
    about: 'The login: an account from your settings (`tollgate accounts` lists them)',
    example: null,
    without: 'the login of the environment',
  },
  'stages[].effort': {
    about: 'The reasoning effort of the model, for codex and claude: low, medium, high or xhigh',
    example: 'medium',
    without: 'the default of the CLI',
  },
  'stages[].access': {
    about: 'The permissions of the CLI: read, write (the working tree) or full (everything)',
    example: 'read',
    without: 'write for the roles impl and test_impl; read for the others',
  },
  'stages[].allow_tool': {
    about: 'Tools that the agent may use in addition to `access`, in the syntax of the CLI, for copilot and claude',
    example: '["Bash(git push)"]',
    without: 'none',
  },
  'stages[].allow_commit': {
    about: 'Whether an agent with write access may commit; without it codex makes the git folders read-only',
    example: 'false',
    without: 'false',
  },
  'stages[].requires_mcp': {
    about: 'The MCP servers that must be connected, by name, or all; otherwise the call fails (tooling, mcp_server)',
    example: '[tickets]',
    without: 'none; a server that failed is a warning',
  },
  'stages[].on_denied': {
    about:
      'The result of a call in which a tool was denied: note (a warning) or fail (contract_violation, tool_denied)',
    example: 'fail',
    without: 'note',
  },
  'stages[].prompt': {
    about: 'A prompt template for this role, relative to the task folder',
    example: 'inputs/brief.md',
    without: 'the template of the project, otherwise the built-in one',
  },
  'stages[].attach': {
    about: 'Globs of files to include in the prompt',
    example: '["attachments/**"]',
    without: 'all of inputs/attachments/',
  },
  'stages[].requires': {
    about: 'The headings that the answer must have',
    example: '[Summary, Plan]',
    without: 'as the role says',
  },
  'stages[].min_lines': {
    about: 'The minimum number of lines with text in the answer',
    example: '8',
    without: 'as the role says',
  },
  'stages[].diff': {
    about:
      'Whether the answer must contain a unified diff that applies (true or false); or which changes the prompt includes ({base: main} or {since: start})',
    example: 'false',
    without: 'true if the role changes the tree and the stage may not write; otherwise false',
  },
  'stages[].diff.base': {
    about: 'A branch or a commit: the changes since HEAD diverged from it, with uncommitted ones',
    example: null,
    without: 'none',
  },
  'stages[].diff.since': {
    about: 'start: the changes since the start of the first run of the task',
    example: null,
    without: 'none',
  },
  'stages[].on_fail': {
    about:
      'The result of an answer whose section Verdict says FAIL: note (reported, the stage is done) or stop (the stage fails)',
    example: 'stop',
    without: 'stop for the role verify; note for the others',
  },
  'stages[].schema': {
    about: 'A JSON Schema for the answer, which must then be JSON',
    example: '{type: object}',
    without: 'none',
  },
  'stages[].timeout_ms': {
    about: 'The maximum duration of one call, in milliseconds',
    example: '1800000',
    without: '1800000 (30 minutes)',
  },
  'stages[].idle_timeout_ms': {
    about: 'The maximum time without output from the CLI, in milliseconds',
    example: '300000',
    without: 'no limit',
  },
  'stages[].start_timeout_ms': {
    about: 'The maximum time until the first output of the CLI, in milliseconds; 0 means no limit',
    example: '120000',
    without: '120000 (2 minutes)',
  },
  'stages[].max_turns': { about: 'The maximum number of model turns in one call', example: '30', without: 'no limit' },
  'stages[].may_be_empty': {
    about: 'Whether the stage may change nothing in the tree',
    example: 'false',
    without: 'false',
  },
  'stages[].fallback_on': {
    about:
      'The failures that call `fallback`, unless the attempt ran tools or changed files: quota, overloaded, model_not_found, auth',
    example: '[quota, overloaded]',
    without: 'quota',
  },
  'stages[].fallback': {
    about: 'Other accounts, tools or models, called in this order after a failure that `fallback_on` names',
    example: '[{tool: codex, model: some-model}]',
    without: 'none',
  },
  'stages[].fallback[].tool': { about: `The CLI: ${namedTools('or')}`, example: null, without: 'as in the stage' },
  'stages[].fallback[].account': {
    about: 'The login: an account from your settings',
    example: null,
    without: 'as in the stage',
  },
  'stages[].fallback[].model': { about: 'The model', example: null, without: 'the default of the CLI' },
  ...SUPERVISE_FIELDS,
  scope: { about: 'The files that the stages may change', example: null, without: 'as below' },
  'scope.allow': {
    about: 'Globs of the files that they may change',
    example: '["src/**", "test/**"]',
    without: 'all files',
  },
  'scope.deny': {
    about: 'Globs of the files that they may not change, even if `allow` matches them or git ignores them',
    example: '[".ci/**"]',
    without: 'nothing',
  },
  'scope.ignored': {
    about: 'Whether all files that git ignores are checked too, not only those of `deny` and `forbidden_paths`',
    example: 'false',
    without: 'false',
  },
  acceptance: { about: 'The conditions for a finished task', example: null, without: 'as below' },
  'acceptance.commands': {
    about: 'Commands that must succeed after a verify stage',
    example: '[npm test]',
    without: 'none',
  },
  'acceptance.criteria': {
    about: 'Sentences that the answer and the change must satisfy',
    example: '["A wrong password is refused."]',
    without: 'none',
  },
  'acceptance.timeout_ms': {
    about: 'The maximum duration of each command, in milliseconds',
    example: '600000',
    without: '600000 (10 minutes)',
  },
  budgets: { about: 'The limits of cost and time', example: null, without: 'as below' },
  'budgets.paid_call_budget': { about: 'The maximum number of paid calls, with retries', example: '10', without: '10' },
  'budgets.retry_budget': {
    about: 'The maximum number of retries of a stage in one run',
    example: '2',
    without: '2',
  },
  'budgets.nested_calls': {
    about: 'The paid calls that the agent of one call may start itself, charged to this task',
    example: '2',
    without: '0',
  },
  'budgets.max_wallclock_sec': {
    about: 'The maximum duration of one run, in seconds',
    example: '7200',
    without: 'no limit',
  },
  'budgets.max_tokens': {
    about: 'The maximum number of tokens; a call that reaches it is ended, and no further call starts',
    example: '2000000',
    without: 'no limit',
  },
  'budgets.max_usd': {
    about:
      'The maximum cost in US dollars, as far as prices are known; a call that reaches it is ended, and no further call starts',
    example: '5.00',
    without: 'no limit',
  },
  context: { about: 'The handling of long prompts', example: null, without: 'as below' },
  'context.digest_policy': {
    about:
      'When a prompt is shortened: off (never), auto (above the limit of the tool, 400,000 characters by default) or aggressive',
    example: 'auto',
    without: 'auto',
  },
  security: { about: 'Protection of secrets, and trust', example: null, without: 'as below' },
  'security.redaction_patterns': {
    about: 'Regular expressions of text that is removed from every published file',
    example: "['ACME-\\d+']",
    without: 'none; known kinds of secrets are always removed',
  },
  'security.forbidden_paths': {
    about: 'Globs of files that no prompt may include',
    example: '["**/*.pem"]',
    without: 'none',
  },
  'security.trust_workspace': {
    about: 'Whether the CLIs may use the hooks and servers of the folder; ignored if git tracks the manifest',
    example: 'false',
    without: 'false',
  },
  'security.env_allow': {
    about: 'The environment variables that the CLIs get, in addition to the few that every program needs',
    example: '[GEMINI_API_KEY, OPENAI_API_KEY]',
    without: 'all',
  },
};
