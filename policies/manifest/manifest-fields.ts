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

/**
 * The fields of the worker and of the reasoner.
 * @param access the default access.
 */
const partFields = (part: string, access: string): Record<string, ManifestField> =>
  Object.fromEntries(
    Object.entries({
      tool: [`Which CLI: ${namedTools('or')}`, null],
      model: ['The model to ask', "the CLI's own choice"],
      account: ['The login to use: an account of your settings', 'the login of the environment'],
      effort: ['How hard the model thinks: low, medium, high or xhigh', "the CLI's own choice"],
      access: ['What the CLI may do: read, write (the working tree), or full (everything)', access],
      allow_tool: ["Tools that the agent may use beside what `access` allows, in the CLI's own syntax", 'none'],
      allow_commit: ['Whether the agent may commit, where its access is write', 'false'],
      requires_mcp: ['MCP servers that must serve, by name, or all', 'none; a server that failed is a warning'],
      on_denied: ['What becomes of a call in which a tool was denied: note or fail', 'note'],
      prompt: [
        "A template of the task's own for this part, from the task's folder",
        "the project's, else the built-in one",
      ],
      attach: ['Files to put into each of its prompts, by glob', 'all of inputs/attachments/'],
      timeout_ms: ['How long one call may take, in milliseconds', '1800000, half an hour'],
      idle_timeout_ms: ['How long the CLI may say nothing, in milliseconds', 'no limit'],
      start_timeout_ms: [
        'How long the CLI may take until its first byte, in milliseconds; 0 is no limit',
        '120000, two minutes',
      ],
      max_turns: ['How many turns of the model one call may take', 'no limit'],
    } as const).map(([field, [about, without]]) => [`supervise.${part}.${field}`, { about, example: null, without }]),
  );

const SUPERVISE_FIELDS: Record<string, ManifestField> = {
  supervise: {
    about: 'In place of stages, for tollgate supervise: a worker that gets each step from a reasoner',
    example: `{worker: {tool: ${TOOLS.at(-1)}}, reasoner: {tool: ${TOOLS[0]}}}`,
    without: 'the task is run by its stages',
  },
  'supervise.worker': { about: 'Who carries out the instructions', example: null, without: null },
  ...partFields('worker', 'write'),
  'supervise.reasoner': { about: 'Who says them', example: null, without: null },
  ...partFields('reasoner', 'read'),
  'supervise.max_iterations': {
    about: 'How many iterations the task may take in all; each is a call of the worker and one of the reasoner',
    example: null,
    without: '20',
  },
  'supervise.stall_after': {
    about: 'How often in a row the reasoner may keep an instruction that changes nothing in the tree',
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
    about: "The task's name, and that of its folder: 1 to 128 of A-Z a-z 0-9 . _ -",
    example: 'fix-login',
    without: null,
  },
  goal: { about: 'What is to be achieved, in a sentence or two', example: '"Mend the login."', without: null },
  meta: { about: 'Which conversations of the CLIs the task continues', example: null, without: 'as below' },
  'meta.feature': {
    about: 'The tag that the sessions are kept under',
    example: 'login',
    without: "the task's id",
  },
  'meta.session_id': {
    about: 'One session of the CLI to continue, by its id',
    example: '00000000-0000-4000-8000-000000000001',
    without: 'none',
  },
  cwd: {
    about: "Where the CLIs run, from the project's root; beside the project only in a trusted workspace",
    example: '.',
    without: "the project's root",
  },
  worktree: {
    about: "Whether the CLIs run in a git worktree of the task's own",
    example: 'true',
    without: 'false',
  },
  pipeline: {
    about: 'Stages by a name; what `stages` lists then refines those of the same names',
    example: 'safe_impl',
    without: 'none',
  },
  stages: {
    about: 'What is done, in this order: each stage is one CLI in one role',
    example: null,
    without: 'the stages of `pipeline`',
  },
  'stages[].tool': { about: `Which CLI: ${namedTools('or')}`, example: 'gemini', without: null },
  'stages[].role': {
    about:
      'What it plays: brief, test_design, impl, test_impl, static_verify, verify, review, review_consolidate, runbook, or a role of the project',
    example: 'brief',
    without: null,
  },
  'stages[].id': {
    about: 'Its name, where two stages would have the same one: a-z 0-9 _ - beginning with a letter',
    example: 'first-look',
    without: '<tool>_<role>',
  },
  'stages[].model': { about: 'The model to ask', example: 'some-model', without: "the CLI's own choice" },
  'stages[].account': {
    about: 'The login to use: an account of your settings, which tollgate accounts lists',
    example: null,
    without: 'the login of the environment',
  },
  'stages[].effort': {
    about: 'How hard the model thinks, for codex and claude: low, medium, high or xhigh',
    example: 'medium',
    without: "the CLI's own choice",
  },
  'stages[].access': {
    about: 'What the CLI may do: read, write (the working tree), or full (everything)',
    example: 'read',
    without: 'by its role: impl and test_impl write, the others read',
  },
  'stages[].allow_tool': {
    about: "Tools that the agent may use beside what `access` allows, in the CLI's own syntax, for copilot and claude",
    example: '["Bash(git push)"]',
    without: 'none',
  },
  'stages[].allow_commit': {
    about: 'Whether the agent may commit, where its access is write: codex keeps the git folders read-only otherwise',
    example: 'false',
    without: 'false',
  },
  'stages[].requires_mcp': {
    about: 'MCP servers that must serve, by name, or all: without one the call fails (tooling, mcp_server)',
    example: '[tickets]',
    without: 'none; a server that failed is a warning',
  },
  'stages[].on_denied': {
    about:
      'What becomes of a call in which a tool was denied: note (a warning) or fail (contract_violation, tool_denied)',
    example: 'fail',
    without: 'note',
  },
  'stages[].prompt': {
    about: "A template of the task's own for this role, from the task's folder",
    example: 'inputs/brief.md',
    without: "the project's, else the built-in one",
  },
  'stages[].attach': {
    about: 'Files to put into the prompt, by glob',
    example: '["attachments/**"]',
    without: 'all of inputs/attachments/',
  },
  'stages[].requires': {
    about: 'Headings that the answer must have',
    example: '[Summary, Plan]',
    without: "its role's own",
  },
  'stages[].min_lines': {
    about: 'Lines with text that the answer must have at least',
    example: '8',
    without: "its role's own",
  },
  'stages[].diff': {
    about:
      'Whether the answer must hold a unified diff that applies (true or false); or what has changed, put into the prompt ({base: main} or {since: start})',
    example: 'false',
    without: 'false; true where its role changes the tree and it may not write',
  },
  'stages[].diff.base': {
    about: 'A branch or another commit: the changes since HEAD diverged from it, uncommitted ones included',
    example: null,
    without: 'none',
  },
  'stages[].diff.since': {
    about: "start: the changes since the task's first run began",
    example: null,
    without: 'none',
  },
  'stages[].on_fail': {
    about:
      'What becomes of an answer whose section Verdict says FAIL: note (it is reported, and the stage is done) or stop (the stage has failed)',
    example: 'stop',
    without: 'by its role: verify stops, the others note it',
  },
  'stages[].schema': {
    about: 'A JSON Schema that the answer, as JSON, must fit',
    example: '{type: object}',
    without: 'none',
  },
  'stages[].timeout_ms': {
    about: 'How long one call may take, in milliseconds',
    example: '1800000',
    without: '1800000, half an hour',
  },
  'stages[].idle_timeout_ms': {
    about: 'How long the CLI may say nothing, in milliseconds',
    example: '300000',
    without: 'no limit',
  },
  'stages[].start_timeout_ms': {
    about: 'How long the CLI may take until its first byte, in milliseconds; 0 is no limit',
    example: '120000',
    without: '120000, two minutes',
  },
  'stages[].max_turns': { about: 'How many turns of the model one call may take', example: '30', without: 'no limit' },
  'stages[].may_be_empty': {
    about: 'Whether a stage that changes nothing in the tree is done anyway',
    example: 'false',
    without: 'false',
  },
  'stages[].fallback_on': {
    about:
      'On which failures `fallback` is called, unless the attempt ran tools or changed files: quota, overloaded, model_not_found, auth',
    example: '[quota, overloaded]',
    without: 'quota',
  },
  'stages[].fallback': {
    about: 'Other accounts, tools or models, called in this order on the failures that `fallback_on` names',
    example: '[{tool: codex, model: some-model}]',
    without: 'none',
  },
  'stages[].fallback[].tool': { about: `Which CLI: ${namedTools('or')}`, example: null, without: "the stage's own" },
  'stages[].fallback[].account': {
    about: 'The login to use: an account of your settings',
    example: null,
    without: "the stage's own",
  },
  'stages[].fallback[].model': { about: 'The model to ask', example: null, without: "the CLI's own choice" },
  ...SUPERVISE_FIELDS,
  scope: { about: 'What the stages may change in the working tree', example: null, without: 'as below' },
  'scope.allow': { about: 'Globs of what may be changed', example: '["src/**", "test/**"]', without: 'everything' },
  'scope.deny': {
    about: 'Globs of what may not, even where it is allowed, or git ignores it',
    example: '[".ci/**"]',
    without: 'nothing',
  },
  'scope.ignored': {
    about: 'Whether all files that git ignores are watched too, not only denied and forbidden ones',
    example: 'false',
    without: 'false',
  },
  acceptance: { about: 'When the task counts as done', example: null, without: 'as below' },
  'acceptance.commands': {
    about: 'Commands that must succeed after a verify stage',
    example: '[npm test]',
    without: 'none',
  },
  'acceptance.criteria': {
    about: 'Sentences that the answer and the change must meet',
    example: '["A wrong password is refused."]',
    without: 'none',
  },
  'acceptance.timeout_ms': {
    about: 'How long each of the commands may take, in milliseconds',
    example: '600000',
    without: '600000, ten minutes',
  },
  budgets: { about: 'What the task may cost', example: null, without: 'as below' },
  'budgets.paid_call_budget': { about: 'Paid calls in all, retries included', example: '10', without: '10' },
  'budgets.retry_budget': {
    about: 'Retries of a stage in one run, over all of its failures',
    example: '2',
    without: '2',
  },
  'budgets.nested_calls': {
    about: 'Paid calls that the agent of one call may charge to this task from within it',
    example: '2',
    without: '0, none',
  },
  'budgets.max_wallclock_sec': {
    about: 'How long one run may take, in seconds',
    example: '7200',
    without: 'no limit',
  },
  'budgets.max_tokens': {
    about: 'Tokens in all; a call that reaches it is ended, and no call is begun beyond it',
    example: '2000000',
    without: 'no limit',
  },
  'budgets.max_usd': {
    about:
      'US dollars in all, as far as prices are known; a call that reaches it is ended, and no call is begun beyond it',
    example: '5.00',
    without: 'no limit',
  },
  context: { about: 'What becomes of a long prompt', example: null, without: 'as below' },
  'context.digest_policy': {
    about:
      'Whether it is shortened: off (never), auto (over what the tool takes, 400,000 characters by default) or aggressive',
    example: 'auto',
    without: 'auto',
  },
  security: { about: 'What must not leave the machine, and who is trusted', example: null, without: 'as below' },
  'security.redaction_patterns': {
    about: 'Regular expressions of what is taken out of every file that is published',
    example: "['ACME-\\d+']",
    without: 'none; known kinds of secrets are always taken out',
  },
  'security.forbidden_paths': {
    about: 'Globs of files that are never put into a prompt',
    example: '["**/*.pem"]',
    without: 'none',
  },
  'security.trust_workspace': {
    about:
      'Whether the CLIs may use the hooks and servers that the folder configures; it counts only where git does not track the manifest',
    example: 'false',
    without: 'false',
  },
  'security.env_allow': {
    about: 'Names of the environment variables that the CLIs see, beside the few that every program needs',
    example: '[GEMINI_API_KEY, OPENAI_API_KEY]',
    without: 'all of them',
  },
};
