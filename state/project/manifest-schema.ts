// Defines the shape of a manifest (one of three modules that use zod): every field, its limits and its default.

import * as z from 'zod';
import { MAX_TIMEOUT_MS } from '../../policies/facts/deadline.ts';
import { TOOL_NAME, TOOLS, type Tool } from '../../policies/facts/tools.ts';
import { ACCOUNT_NAME } from '../../policies/limits/user-accounts.ts';
import { patternMistake } from '../../policies/redact/patterns.ts';
import { ID_MUST, ID_OR_PREFIX, TAG, TAG_MUST } from '../../policies/session/session-entry.ts';
import { globMistake } from '../../policies/text/globs.ts';
import { STAND_IN_CAUSES } from '../../policies/verdict/stand-ins.ts';
import { STAGE_ID, STAGE_ID_MUST, TASK_ID } from '../task-folder.ts';

const STAGE_DEFAULTS = {
  timeout_ms: 30 * 60_000,
  may_be_empty: false,
};

const SUPERVISE_DEFAULTS = { max_iterations: 20, stall_after: 3 };

/** A new object for each manifest, since its reader may change it. */
const manifestDefaults = () =>
  ({
    meta: {},
    worktree: false,
    scope: { allow: [] as string[], deny: [] as string[], ignored: false },
    acceptance: { commands: [] as string[], criteria: [] as string[], timeout_ms: 10 * 60_000 },
    budgets: { paid_call_budget: 10, retry_budget: 2, nested_calls: 0 },
    context: { digest_policy: 'auto' },
    security: { redaction_patterns: [] as string[], forbidden_paths: [] as string[], trust_workspace: false },
  }) as const;

const MAX_PATTERNS_CHARS = 20_000;

/** It becomes an argument of a program. None can contain a NUL, and a terminal executes other control characters. */
const word = z
  .string()
  .regex(/^[^-\s\p{Cc}][^\p{Cc}]*$/u, 'must be one line without control characters that does not begin with a dash');
const sessionId = z.string().regex(ID_OR_PREFIX, ID_MUST);
/** A file, a folder or another name. */
export const PLACE = z
  .string()
  .min(1)
  .regex(/^[^\p{Cc}]*$/u, 'must be one line without control characters');
const command = z
  .string()
  .min(1)
  .regex(/^[^\0]*$/, 'must have no NUL character');
const name = z.string().regex(TASK_ID, 'must be 1 to 128 of A-Z a-z 0-9 . _ -');
const glob = z
  .string()
  .min(1)
  .refine((text) => globMistake(text) === null, { error: (issue) => globMistake(String(issue.input)) ?? '' });
const globs = z.array(glob).default([]);
const whole = z.number().int().min(1);
/** They are passed to the wrapper of each call, beside the project's own rows. */
const patterns = z
  .array(
    z
      .string()
      .min(1)
      .max(1000)
      .refine((source) => patternMistake(source) === null, {
        error: (issue) => patternMistake(String(issue.input)) ?? '',
      }),
  )
  .max(100)
  .refine((all) => JSON.stringify(all).length <= MAX_PATTERNS_CHARS, {
    error: `must have at most ${MAX_PATTERNS_CHARS} characters in all`,
  });

/** A commit name in git syntax; if it is invalid, the prompt cannot be composed. */
const changes = z
  .strictObject({ base: word.optional(), since: z.literal('start').optional() })
  .refine(({ base, since }) => (base === undefined) !== (since === undefined), 'must have base or since, one of them')
  .meta({ minProperties: 1, maxProperties: 1 });

/** Whether one of that name exists is checked where the project is known. */
const TOOL = z
  .string()
  .regex(TOOL_NAME, `must be one of ${TOOLS.join(', ')}, or a CLI of tollgate.yaml`)
  .meta({ examples: [...TOOLS] }) as unknown as z.ZodType<Tool, string>;

const ACCOUNT = z.string().regex(ACCOUNT_NAME, 'must be the name of an account: a word of a-z 0-9 _ -');

export const STAGE = z.strictObject({
  tool: TOOL,
  role: z.string().regex(/^[a-z][a-z0-9_]{0,40}$/, 'must be a word of a-z 0-9 _'),
  id: z.string().regex(STAGE_ID, STAGE_ID_MUST).optional(),
  model: word.optional(),
  /** A login of the user's settings. */
  account: ACCOUNT.optional(),
  /** Not every CLI takes each of them. */
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).optional(),
  access: z.enum(['read', 'write', 'full']).optional(),
  /** The CLI's own permissions, each as one of its rules. */
  allow_tool: z.array(word.max(500)).max(100).optional(),
  /** Makes the git folders writable; only with `access: write`. */
  allow_commit: z.boolean().optional(),
  /** MCP servers without which a call has failed. */
  requires_mcp: z.union([z.literal('all'), z.array(word.max(200)).min(1).max(50)]).optional(),
  /** By default a denied tool is a warning. */
  on_denied: z.enum(['note', 'fail']).optional(),
  prompt: PLACE.optional(),
  /** By default all of the task's `inputs/attachments/`. */
  attach: z.array(PLACE).optional(),
  /** By default the role's own. */
  requires: z.array(z.string().min(1)).optional(),
  min_lines: z.number().int().min(0).optional(),
  /** true: the answer must contain a unified diff that applies; an object: the prompt includes what has changed. */
  diff: z.union([z.boolean(), changes]).optional(),
  /** By default the role's own. */
  on_fail: z.enum(['note', 'stop']).optional(),
  schema: z.record(z.string(), z.unknown()).optional(),
  timeout_ms: whole.max(MAX_TIMEOUT_MS).default(STAGE_DEFAULTS.timeout_ms),
  idle_timeout_ms: whole.max(MAX_TIMEOUT_MS).optional(),
  /** 0 is no limit; by default the wrapper's own. */
  start_timeout_ms: z.number().int().min(0).max(MAX_TIMEOUT_MS).optional(),
  max_turns: whole.optional(),
  may_be_empty: z.boolean().default(STAGE_DEFAULTS.may_be_empty),
  fallback: z
    .array(
      z
        .strictObject({ tool: TOOL.optional(), account: ACCOUNT.optional(), model: word.optional() })
        .refine(({ tool, account }) => tool !== undefined || account !== undefined, 'must have tool or account'),
    )
    .default([]),
  /** By default only a quota. */
  fallback_on: z.array(z.enum(STAND_IN_CAUSES)).min(1).optional(),
});

/** A part of a supervised task: a stage with a fixed role. */
const PART = STAGE.pick({
  tool: true,
  model: true,
  account: true,
  effort: true,
  access: true,
  allow_tool: true,
  allow_commit: true,
  requires_mcp: true,
  on_denied: true,
  prompt: true,
  attach: true,
  timeout_ms: true,
  idle_timeout_ms: true,
  start_timeout_ms: true,
  max_turns: true,
});

const SUPERVISE = z.strictObject({
  worker: PART,
  reasoner: PART,
  max_iterations: whole.max(10_000).default(SUPERVISE_DEFAULTS.max_iterations),
  stall_after: whole.max(10_000).default(SUPERVISE_DEFAULTS.stall_after),
});

const { acceptance, budgets, context, scope, security } = manifestDefaults();

export const MANIFEST = z.strictObject({
  $schema: z.string().optional(),
  task_id: name,
  goal: z.string().min(1),
  meta: z
    .strictObject({ feature: z.string().regex(TAG, TAG_MUST).optional(), session_id: sessionId.optional() })
    .default({}),
  cwd: PLACE.optional(),
  /** A named pipeline; stages that are listed beside it refine its own of the same name. */
  pipeline: PLACE.optional(),
  stages: z.array(STAGE).default([]),
  /** Instead of stages: a worker that gets each step from a reasoner. */
  supervise: SUPERVISE.optional(),
  /** The CLIs run in a separate git worktree of the task. */
  worktree: z.boolean().default(false),
  scope: z.strictObject({ allow: globs, deny: globs, ignored: z.boolean().default(false) }).default(scope),
  acceptance: z
    .strictObject({
      commands: z.array(command).default([]),
      criteria: z.array(z.string().min(1)).default([]),
      /** For each command. */
      timeout_ms: whole.max(MAX_TIMEOUT_MS).default(acceptance.timeout_ms),
    })
    .default(acceptance),
  budgets: z
    .strictObject({
      paid_call_budget: z.number().int().min(0).default(budgets.paid_call_budget),
      retry_budget: z.number().int().min(0).default(budgets.retry_budget),
      nested_calls: z.number().int().min(0).default(budgets.nested_calls),
      max_wallclock_sec: whole.max(MAX_TIMEOUT_MS / 1000).optional(),
      max_tokens: whole.optional(),
      max_usd: z.number().positive().optional(),
    })
    .default(budgets),
  context: z.strictObject({ digest_policy: z.enum(['off', 'auto', 'aggressive']).default('auto') }).default(context),
  security: z
    .strictObject({
      redaction_patterns: patterns.default([]),
      forbidden_paths: globs,
      trust_workspace: z.boolean().default(false),
      env_allow: z.array(z.string().min(1)).optional(),
    })
    .default(security),
});

export type GivenManifest = z.infer<typeof MANIFEST>;
export type GivenStage = GivenManifest['stages'][number];

/** A stage with its name. A fallback to another account is to the same CLI, unless it names one. */
export type Stage = Omit<GivenStage, 'fallback'> & {
  name: string;
  fallback: { tool: Tool; account?: string | undefined; model?: string | undefined }[];
};

/** With its pipeline expanded: there is at least one stage, and all names differ. */
export type Manifest = Omit<GivenManifest, 'stages'> & { stages: Stage[] };
