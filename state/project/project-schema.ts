// Defines the shape of tollgate.yaml, the settings of a project for all of its tasks.

import * as z from 'zod';
import { CLASSES, type ErrorClass } from '../../policies/facts/classes.ts';
import { zoneOf } from '../../policies/facts/clock.ts';
import { type BuiltIn, TOOL_NAME, TOOLS } from '../../policies/facts/tools.ts';
import { NO_LIMITS, PERIODS, UNITS } from '../../policies/limits/limits.ts';
import { ACCOUNT_NAME } from '../../policies/limits/user-accounts.ts';
import { addressMistake, NOTIFY_EVENTS, NOTIFY_FORMATS, NOTIFY_TIMEOUT } from '../../policies/manifest/notifier.ts';
import { PIPELINES } from '../../policies/manifest/pipelines.ts';
import { PROMPT_DEFAULTS, SESSION_DEFAULTS } from '../../policies/manifest/project-file.ts';
import { LEAST_CHARS, MOST_CHARS } from '../../policies/manifest/prompt-limits.ts';
import { unknownTool } from '../../policies/rules/described-mistakes.ts';
import { phraseMistake } from '../../policies/rules/phrase.ts';
import { isTaken, type OwnRow, SAID_IN, withoutProof } from '../../policies/verdict/own-row.ts';
import { PLACE, STAGE } from './manifest-schema.ts';
import { ANY_TOOLS, maybe, OWN_TOOLS } from './own-tool-schema.ts';

export { ANY_TOOLS, OWN_TOOLS };

const VARIABLE = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,200}$/, 'must be the name of a variable, without $');

/** The shape of `notify` in tollgate.yaml: what receives the end of a run. Gets zod as an argument. */
function notifySchema({ array, enum: choice, number, strictObject, string }: typeof z) {
  const word = string()
    .max(2000)
    .regex(/^[^\0]*$/, 'must have no NUL character');
  return array(
    strictObject({
      on: array(choice(NOTIFY_EVENTS))
        .min(1)
        .max(NOTIFY_EVENTS.length)
        .default([...NOTIFY_EVENTS])
        .describe(
          'Events to report, all by default; budget: 80 % of the paid calls of the task, or of a limit over all tasks, are used',
        ),
      webhook: maybe(
        string()
          .max(2000)
          .refine((url) => addressMistake(url) === null, {
            error: (issue) => addressMistake(String(issue.input)) ?? '',
          }),
        'HTTP or HTTPS address that receives a POST request; each entry has exactly one of webhook, webhook_env and command',
      ),
      webhook_env: maybe(VARIABLE, 'Variable with the address of the webhook, for a secret address; replaces webhook'),
      secret_env: maybe(VARIABLE, 'Variable with the secret that signs the requests; if absent, they are not signed'),
      format: choice(NOTIFY_FORMATS)
        .default('json')
        .describe('Body of the webhook request: json (all facts, the default) or slack (one line)'),
      command: maybe(array(word).min(1).max(100), 'Program that reads the JSON from stdin, and its arguments'),
      timeout_ms: number()
        .int()
        .min(NOTIFY_TIMEOUT.least)
        .max(NOTIFY_TIMEOUT.most)
        .default(NOTIFY_TIMEOUT.unlessTold)
        .describe(
          `Maximum time for all attempts to send the notification, in milliseconds; ${NOTIFY_TIMEOUT.unlessTold} by default`,
        ),
    }).superRefine((row, { addIssue }) => {
      const named = WAYS.filter((way) => row[way] !== undefined);
      const custom = (message: string, path: string[] = []) => addIssue({ code: 'custom', path, message });
      if (named.length !== 1) custom(`must have one of ${WAYS.join(', ')}${named.length === 0 ? '' : ', and no more'}`);
      if (row.command === undefined) return;
      if (row.secret_env !== undefined) custom('signs for a webhook; a command needs none', ['secret_env']);
      if (row.format !== 'json') custom('is for a webhook; a command reads JSON', ['format']);
    }),
  )
    .max(8)
    .default([]);
}

const WAYS = ['webhook', 'webhook_env', 'command'] as const;

/** The shape of `limits` in tollgate.yaml: what its calls may use. The user's own limits apply too. Gets zod as an argument. */
function limitsSchema({ array, enum: choice, number, record, strictObject, string }: typeof z) {
  const tool = string().regex(TOOL_NAME, 'must be any, or the name of a CLI');
  const counts = record(tool, number().int().min(1)).default({});
  return strictObject({
    time_zone: string()
      .max(60)
      .refine((name) => zoneOf(name) !== null, 'must be a time zone, such as Europe/Berlin, UTC or +02:00')
      .default(NO_LIMITS.time_zone)
      .describe('Time zone in which each day, week (from Monday) and month begins at midnight; UTC by default'),
    budgets: array(
      strictObject({
        per: choice(PERIODS).describe('Period of the budget: day, week or month'),
        tool: tool.default('any').describe('Name of the CLI whose calls count; any (the default): all CLIs together'),
        calls: maybe(number().int().min(0), 'Maximum number of paid calls in the period; no limit if absent'),
        tokens: maybe(
          number().int().min(0),
          'Tokens in the period; a call that reaches them is ended; no limit if absent',
        ),
        usd: maybe(number().min(0), 'US dollars in the period; a call that reaches them is ended; no limit if absent'),
      }).refine((row) => UNITS.some((unit) => row[unit] !== undefined), `must have ${UNITS.join(', ')}, one or more`),
    )
      .max(50)
      .default([])
      .describe('Budgets for the calls of this project per day, week or month; none by default'),
    at_once: counts.describe('Simultaneous calls, by CLI, for each account; any: all together; no limits by default'),
    per_minute: counts.describe('Calls that start within 60 seconds, by CLI, for each account; any: all together'),
  });
}

const ROLE_NAME = /^[a-z][a-z0-9_]{0,40}$/;
const perMillion = z.number().min(0);

/** One of them, or a list. */
const some = <S extends z.ZodType>(one: S, max: number) =>
  z.union([one.transform((each) => [each]), z.array(one).min(1).max(max)]);

const phrase = z
  .string()
  .max(200)
  .refine((text) => phraseMistake(text) === null, { error: (issue) => phraseMistake(String(issue.input)) ?? '' });
const status = z.union([z.number().int().min(400).max(599), z.enum(['4xx', '5xx', 'none'])], {
  error: 'must be an HTTP status (400 to 599), 4xx, 5xx or none',
});
const exit = z.union([z.number().int().min(1).max(255), z.string().regex(/^SIG[A-Z0-9]{2,10}$/)], {
  error: 'must be an exit code (1 to 255) or the name of a signal, such as SIGKILL',
});
const proof = z.union([
  z.string().min(1).max(2000),
  z.strictObject({
    message: maybe(z.string().max(2000), 'Message of the failure; empty if absent'),
    status: maybe(z.number().int().min(400).max(599), 'HTTP status of the failure; if absent, the failure has none'),
    code: maybe(z.string().max(100), 'Error code of the failure; if absent, the failure has none'),
    type: maybe(z.string().max(100), 'Error type of the failure; if absent, the failure has none'),
    details: maybe(z.string().max(2000), 'Further text of the service about the failure; if absent, there is none'),
    exit: maybe(exit, 'Exit code or signal of the CLI; absent for a failure that it reported'),
  }),
]);

const ASKS_NOTHING = 'asks for nothing, and so would decide everything; give it status, code, text, wait or exit';

const OWN_ROW = z.strictObject({
  id: z
    .string()
    .max(60)
    .regex(/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/, 'must be words of a-z 0-9 with a hyphen between them')
    .refine((id) => !isTaken(id), { error: 'is a name of tollgate itself; give the row one of its own' })
    .describe('Unique name of the rule, which the verdict records; names of built-in rules are not allowed'),
  tool: z
    .string()
    .regex(TOOL_NAME, `must be any, one of ${TOOLS.join(', ')}, or a CLI of tools`)
    .default('any')
    .describe('Name of the CLI whose failures the rule classifies; any (the default): all CLIs'),
  source: z
    .enum(['any', ...SAID_IN])
    .default('any')
    .describe(
      'Source that the rule matches: failure (the final error), error (other reported errors), stderr, exit_code, or any (the default)',
    ),
  match: z
    .strictObject({
      status: maybe(some(status, 20), 'HTTP status or a list: 400 to 599, 4xx, 5xx or none; any status if absent'),
      code: maybe(
        some(z.string().min(1).max(100), 20),
        'Error code or type, or a list; in any letter case; any code if absent',
      ),
      text: maybe(
        some(phrase, 20),
        'Phrase, or a list of phrases, in the failure text; case is ignored, and * matches any text within a line; any text if absent',
      ),
      wait: maybe(
        z.enum(['short', 'long']),
        'Wait that the service requests: short (under an hour) or long; any if absent',
      ),
      exit: maybe(some(exit, 20), 'Exit code (1 to 255), signal, or a list; any end if absent'),
    })
    .check(({ value, issues }) => {
      // An unknown word was meant as a condition.
      if (issues.length === 0 && Object.keys(value).length === 0)
        issues.push({ code: 'custom', input: value, message: ASKS_NOTHING });
    })
    .describe(
      'One or more conditions, which must all hold; a condition with a list holds if one of its values matches',
    ),
  class: z
    .enum(Object.keys(CLASSES) as [ErrorClass, ...ErrorClass[]])
    .describe('Class of the failures that the rule matches'),
  reason: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,60}$/, 'must be words of a-z 0-9 with a _ between them')
    .refine((reason) => !OUR_REASONS.includes(reason), { error: "is said of tollgate's own limits; use another word" })
    .describe('Reason of the failures that the rule matches, within their class: words of a-z 0-9 joined by _'),
  proof: z
    .array(proof)
    .max(10)
    .default([])
    .describe(
      'Example failures that the rule must match, as text or as fields; `tollgate triage --lint` checks them; none by default',
    ),
});

/** Their consequences differ from those of a service's limits. */
const OUR_REASONS = ['budget', 'paused', 'own_limit', 'held'];

const MAX_ROWS = 100;
/** They are passed to the wrapper of each call, and stay in its draft. */
const MAX_ROWS_BYTES = 64 * 1024;

const OWN_ROWS = z
  .array(OWN_ROW)
  .max(MAX_ROWS)
  .superRefine((rows, { addIssue }) => {
    for (const [i, { id }] of rows.entries()) {
      const first = rows.findIndex((row) => row.id === id);
      if (first !== i)
        addIssue({
          code: 'custom',
          path: [i, 'id'],
          message: `is that of triage.rules[${first}] too; give it its own`,
        });
    }
    const bytes = Buffer.byteLength(JSON.stringify((rows as OwnRow[]).map(withoutProof)));
    if (bytes > MAX_ROWS_BYTES) {
      const message = `have ${bytes} bytes without their proofs, of ${MAX_ROWS_BYTES} at most; make them fewer or shorter`;
      addIssue({ code: 'custom', path: [], message });
    }
  });

const eachTool = <T>(of: (tool: BuiltIn) => T) =>
  Object.fromEntries(TOOLS.map((tool) => [tool, of(tool)])) as Record<BuiltIn, T>;

const limitOf = (tool: BuiltIn) =>
  z
    .number()
    .int()
    .min(1000)
    .default(SESSION_DEFAULTS.context_limit[tool])
    .describe(`Maximum context of a session of ${tool}, in tokens; ${SESSION_DEFAULTS.context_limit[tool]} by default`);
const LIMITS = eachTool(limitOf);

const charsOf = (tool: BuiltIn) =>
  z
    .number()
    .int()
    .min(LEAST_CHARS)
    .max(MOST_CHARS[tool])
    .default(PROMPT_DEFAULTS.max_chars[tool])
    .describe(`Maximum length of a prompt for ${tool}, in characters; ${PROMPT_DEFAULTS.max_chars[tool]} by default`);
const CHARS = eachTool(charsOf);

const FIELDS = z.strictObject({
  $schema: z.string().optional(),
  rules: PLACE.nullable()
    .default(null)
    .describe(
      'File with the rules at the beginning of every prompt, relative to the project root; if null or absent, the built-in rules apply',
    ),
  roles: z
    .record(
      z.string().regex(ROLE_NAME, 'must be a word of a-z 0-9 _'),
      z.strictObject({
        template: maybe(PLACE, 'Prompt template, from the project root; requires and min_lines are then not inherited'),
        access: maybe(
          z.enum(['read', 'write']),
          'Unless the stage sets it: read or write; by default as the built-in role',
        ),
        requires: maybe(
          z.array(z.string().min(1)),
          'Headings that the answer must have; if absent, as the built-in role',
        ),
        min_lines: maybe(z.number().int().min(0), 'Minimum number of lines with text; if absent, as the built-in role'),
        on_fail: maybe(
          z.enum(['note', 'stop']),
          'Result of a FAIL verdict: note (reported, the stage is done) or stop (the stage fails); by default as in the built-in role, otherwise note',
        ),
        reads: maybe(
          z.array(z.string().min(1)),
          'Roles whose answers the prompt includes; if absent, as in the built-in role',
        ),
      }),
    )
    .default({})
    .describe('Changes to built-in roles, and new roles, by name; none by default'),
  pipelines: z
    .record(z.string().regex(ROLE_NAME, 'must be a word of a-z 0-9 _'), z.array(STAGE).min(1))
    // The name of a built-in pipeline must always mean that one, in any project.
    .superRefine((own, { addIssue }) => {
      for (const name of Object.keys(own).filter((name) => Object.hasOwn(PIPELINES, name)))
        addIssue({ code: 'custom', path: [name], message: 'is built in and cannot be changed; give it another name' });
    })
    .default({})
    .describe('Pipelines of the project, by name, in addition to the built-in ones; none by default'),
  prices: z
    .record(z.string().min(1), z.strictObject({ input: perMillion, cached: perMillion.optional(), output: perMillion }))
    .default({})
    .describe(
      'Prices in US dollars for a million tokens, by model; if absent, only costs that the CLIs report are known',
    ),
  triage: z
    .strictObject({
      rules: OWN_ROWS.default([]).describe(
        'Rules of the project, in the order in which they are tried, before the built-in ones; none by default',
      ),
    })
    .default({ rules: [] })
    .describe('Classification of failures in this project; only the built-in rules if absent'),
  tools: OWN_TOOLS.describe(
    'CLIs of the project, by name, for `tollgate call NAME` and `tool: NAME` of a stage; also prefixes of built-in CLIs; none by default',
  ),
  sessions: z
    .strictObject({
      context_limit: z
        .strictObject(LIMITS)
        .prefault({})
        .describe('Maximum context of a session in tokens, by CLI; a new session replaces a session that exceeds it'),
      rest_sec: z
        .number()
        .min(0)
        .max(3600)
        .default(SESSION_DEFAULTS.rest_sec)
        .describe(
          `Pause before a session is resumed, in seconds for each consecutive failure; ${SESSION_DEFAULTS.rest_sec} by default`,
        ),
    })
    .prefault({})
    .describe('Limits for resuming a session; the defaults apply if absent'),
  prompts: z
    .strictObject({
      max_chars: z
        .strictObject(CHARS)
        .prefault({})
        .describe(
          'Maximum length of a prompt in characters, by CLI; context.digest_policy of the task decides whether a longer prompt is shortened or refused',
        ),
      max_chars_by_model: z
        .record(z.string().min(1), z.number().int().min(LEAST_CHARS))
        .default({})
        .describe(
          'Maximum length of a prompt in characters, by the `model` of the stage; takes precedence over max_chars; none by default',
        ),
    })
    .prefault({})
    .describe('Limits for the length of a prompt; the defaults apply if absent'),
  limits: limitsSchema(z)
    .prefault({})
    .describe('Limits over all tasks of this project; the limits of the user also apply; none by default'),
  commit: z
    .strictObject({
      author: z
        .string()
        .max(200)
        .regex(/^[^<>\p{Cc}]*[^<>\p{Cc}\s] <[^<>\s\p{Cc}]+>$/u, 'must be Name <address>')
        .nullable()
        .default(null)
        .describe('Author and committer, as Name <address>; if null or absent, the setting of git applies'),
      trailers: z
        .array(
          z
            .string()
            .max(200)
            .regex(/^[A-Za-z][A-Za-z0-9-]*: [^\p{Cc}]+$/u, 'must be a line such as Reviewed-by: Name'),
        )
        .max(10)
        .default([])
        .describe('Additional lines at the end of the commit message, such as Reviewed-by: Name; none by default'),
    })
    .prefault({})
    .describe('Settings of the commits that `tollgate run --commit` makes; the defaults apply if absent'),
  accounts: maybe(z.unknown(), 'Ignored: only the settings of the user define accounts (`tollgate accounts`)'),
  notify: notifySchema(z).describe(
    'Webhooks and commands that are notified when a run or a batch ends; none by default',
  ),
});

/** Checks the names of CLIs, which only the whole file contains. */
export const PROJECT = FIELDS.superRefine(({ tools, triage, pipelines }, { addIssue }) => {
  const look = (name: string, path: (string | number)[], ...more: string[]) => {
    const message = unknownTool(name, Object.keys(tools), more);
    if (message !== null) addIssue({ code: 'custom', path, message });
  };
  for (const [i, { tool }] of triage.rules.entries()) look(tool, ['triage', 'rules', i, 'tool'], 'any');
  for (const [name, stages] of Object.entries(pipelines))
    for (const [i, { tool, fallback }] of stages.entries()) {
      look(tool, ['pipelines', name, i, 'tool']);
      for (const [at, one] of fallback.entries())
        look(one.tool ?? tool, ['pipelines', name, i, 'fallback', at, 'tool']);
    }
});

/** The user's own settings, for all projects. */
export const USER_SETTINGS = z.strictObject({
  accounts: z
    .record(
      z.string().regex(ACCOUNT_NAME, 'must be a word of a-z 0-9 _ -'),
      z
        .strictObject({ tool: z.enum(TOOLS), home: PLACE.optional(), key: VARIABLE.optional() })
        .refine(({ home, key }) => home !== undefined || key !== undefined, 'must have home, key, or both'),
    )
    .default({}),
});

export type GivenProject = z.infer<typeof PROJECT>;

/** The same, with these rows instead of its own. */
export const projectWith = (tools: object) => z.preprocess((data) => ({ ...(data as object), tools }), PROJECT);
