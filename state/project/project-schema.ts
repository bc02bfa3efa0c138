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
import { phraseMistake } from '../../policies/rules/phrase.ts';
import { isTaken, type OwnRow, SAID_IN, withoutProof } from '../../policies/verdict/own-row.ts';
import { PLACE, STAGE } from './manifest-schema.ts';
import { ANY_TOOLS, OWN_TOOLS } from './own-tool-schema.ts';
import { unknownTool } from './tool-names.ts';

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
        .describe('of what; budget: the run reached 80 % of the paid calls'),
      webhook: string()
        .max(2000)
        .refine((url) => addressMistake(url) === null, { error: (issue) => addressMistake(String(issue.input)) ?? '' })
        .optional()
        .describe('the address that receives the POST request'),
      webhook_env: VARIABLE.optional().describe('the variable that holds the address, where that is a secret'),
      secret_env: VARIABLE.optional().describe('the variable that holds the secret of the signature'),
      format: choice(NOTIFY_FORMATS).default('json').describe("the body: all facts, or one line in Slack's form"),
      command: array(word).min(1).max(100).optional().describe('a program and its arguments: it reads the JSON'),
      timeout_ms: number()
        .int()
        .min(NOTIFY_TIMEOUT.least)
        .max(NOTIFY_TIMEOUT.most)
        .default(NOTIFY_TIMEOUT.unlessTold)
        .describe('for all tries together: the end of a run is held up for no longer'),
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
      .describe('in which a day, a week (from Monday) and a month begin at midnight'),
    budgets: array(
      strictObject({
        per: choice(PERIODS).describe('in which period'),
        tool: tool.default('any').describe('of which CLI; any: of all together'),
        calls: number().int().min(0).optional().describe('paid calls at most'),
        tokens: number().int().min(0).optional().describe('tokens: when they are used up no further call begins'),
        usd: number().min(0).optional().describe('US dollars, likewise'),
      }).refine((row) => UNITS.some((unit) => row[unit] !== undefined), `must have ${UNITS.join(', ')}, one or more`),
    )
      .max(50)
      .default([])
      .describe('what the calls of this project may use in a period'),
    at_once: counts.describe('calls of this project that are made at the same time, by tool; any: of all together'),
    per_minute: counts.describe('calls of this project that begin within 60 s, likewise'),
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
    message: z.string().max(2000).optional().describe('what was said'),
    status: z.number().int().min(400).max(599).optional().describe('the HTTP status that was reported with it'),
    code: z.string().max(100).optional().describe('the code that was reported with it'),
    type: z.string().max(100).optional().describe('the type of the error that was reported with it'),
    details: z.string().max(2000).optional().describe('what else the service said'),
    exit: exit.optional().describe('how the CLI ended; nothing else that was said counts then'),
  }),
]);

const ASKS_NOTHING = 'asks for nothing, and so would decide everything; give it status, code, text, wait or exit';

const OWN_ROW = z.strictObject({
  id: z
    .string()
    .max(60)
    .regex(/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/, 'must be words of a-z 0-9 with a hyphen between them')
    .refine((id) => !isTaken(id), { error: 'is a name of tollgate itself; give the row one of its own' })
    .describe('its name, which the verdict tells'),
  tool: z
    .string()
    .regex(TOOL_NAME, `must be any, one of ${TOOLS.join(', ')}, or a CLI of tools`)
    .default('any')
    .describe('whose failures it is about'),
  source: z
    .enum(['any', ...SAID_IN])
    .default('any')
    .describe('where it may be said'),
  match: z
    .strictObject({
      status: some(status, 20).optional().describe('the HTTP status; absent if none was reported'),
      code: some(z.string().min(1).max(100), 20)
        .optional()
        .describe("the failure's code or type, in any case of letters"),
      text: some(phrase, 20).optional().describe('phrases, in any case of letters; * matches any text within a line'),
      wait: z
        .enum(['short', 'long'])
        .optional()
        .describe('the service asks to wait for less than an hour, or for longer'),
      exit: some(exit, 20).optional().describe("the CLI's exit code, or the signal that ended it"),
    })
    .check(({ value, issues }) => {
      // An unknown word was meant as a condition.
      if (issues.length === 0 && Object.keys(value).length === 0)
        issues.push({ code: 'custom', input: value, message: ASKS_NOTHING });
    })
    .describe('every condition here must hold; of a list, one'),
  class: z.enum(Object.keys(CLASSES) as [ErrorClass, ...ErrorClass[]]).describe('what it means'),
  reason: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,60}$/, 'must be words of a-z 0-9 with a _ between them')
    .refine((reason) => !OUR_REASONS.includes(reason), { error: "is said of tollgate's own limits; use another word" })
    .describe('what it means, more closely'),
  proof: z.array(proof).max(10).default([]).describe('texts that it is there for; tollgate triage --lint tries them'),
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
  z.number().int().min(1000).default(SESSION_DEFAULTS.context_limit[tool]).describe(`for ${tool}`);
const LIMITS = eachTool(limitOf);

const charsOf = (tool: BuiltIn) =>
  z
    .number()
    .int()
    .min(LEAST_CHARS)
    .max(MOST_CHARS[tool])
    .default(PROMPT_DEFAULTS.max_chars[tool])
    .describe(`for ${tool}`);
const CHARS = eachTool(charsOf);

const FIELDS = z.strictObject({
  $schema: z.string().optional(),
  rules: PLACE.nullable().default(null).describe('a file of rules that stand before every prompt'),
  roles: z
    .record(
      z.string().regex(ROLE_NAME, 'must be a word of a-z 0-9 _'),
      z.strictObject({
        template: PLACE.optional().describe('a file with the instructions of the role'),
        access: z.enum(['read', 'write']).optional().describe('what it may do where a stage does not say'),
        requires: z.array(z.string().min(1)).optional().describe('sections that its answer must have'),
        min_lines: z.number().int().min(0).optional().describe('lines with text that its answer must have'),
        on_fail: z.enum(['note', 'stop']).optional().describe('what becomes of a verdict of FAIL in its answer'),
        reads: z.array(z.string().min(1)).optional().describe('roles whose answers are put into its prompt'),
      }),
    )
    .default({})
    .describe('changes to the built-in roles, and roles of its own'),
  pipelines: z
    .record(z.string().regex(ROLE_NAME, 'must be a word of a-z 0-9 _'), z.array(STAGE).min(1))
    // The name of a built-in pipeline must always mean that one, in any project.
    .superRefine((own, { addIssue }) => {
      for (const name of Object.keys(own).filter((name) => Object.hasOwn(PIPELINES, name)))
        addIssue({ code: 'custom', path: [name], message: 'is built in and cannot be changed; give it another name' });
    })
    .default({})
    .describe('pipelines of its own, by name'),
  prices: z
    .record(z.string().min(1), z.strictObject({ input: perMillion, cached: perMillion.optional(), output: perMillion }))
    .default({})
    .describe('US dollars for a million tokens, by model'),
  triage: z
    .strictObject({ rules: OWN_ROWS.default([]).describe('tried in this order, before the built-in ones') })
    .default({ rules: [] })
    .describe('how failures are classified in this project'),
  tools: OWN_TOOLS.describe('CLIs of its own, by name: `tollgate call NAME`, and `tool: NAME` of a stage'),
  sessions: z
    .strictObject({
      context_limit: z
        .strictObject(LIMITS)
        .prefault({})
        .describe('tokens of its context beyond which a fresh session replaces the old one'),
      rest_sec: z
        .number()
        .min(0)
        .max(3600)
        .default(SESSION_DEFAULTS.rest_sec)
        .describe('how long a session rests for each failure in a row, in seconds'),
    })
    .prefault({})
    .describe('when a session is continued'),
  prompts: z
    .strictObject({
      max_chars: z
        .strictObject(CHARS)
        .prefault({})
        .describe('characters of a prompt at most: over it digest_policy auto leaves out, and off sends nothing'),
      max_chars_by_model: z
        .record(z.string().min(1), z.number().int().min(LEAST_CHARS))
        .default({})
        .describe("likewise by model, as the stage's `model` names it; goes before max_chars"),
    })
    .prefault({})
    .describe('how long a prompt may be'),
  limits: limitsSchema(z)
    .prefault({})
    .describe('limits over all tasks of this project; they stand beside your own and never loosen them'),
  commit: z
    .strictObject({
      author: z
        .string()
        .max(200)
        .regex(/^[^<>\p{Cc}]*[^<>\p{Cc}\s] <[^<>\s\p{Cc}]+>$/u, 'must be Name <address>')
        .nullable()
        .default(null)
        .describe("who commits, as Name <address>; without it, git's own setting"),
      trailers: z
        .array(
          z
            .string()
            .max(200)
            .regex(/^[A-Za-z][A-Za-z0-9-]*: [^\p{Cc}]+$/u, 'must be a line such as Reviewed-by: Name'),
        )
        .max(10)
        .default([])
        .describe('lines at the end of the message, such as Reviewed-by: Name'),
    })
    .prefault({})
    .describe('the commits of tollgate run --commit'),
  accounts: z
    .unknown()
    .optional()
    .describe('not used here: a checkout defines no logins; see the settings of the user'),
  notify: notifySchema(z).describe('who is notified of the end of a run: webhooks and commands'),
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
