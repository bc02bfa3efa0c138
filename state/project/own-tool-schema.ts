// Defines the shape of a CLI that a project describes in `tools` of its tollgate.yaml.

import * as z from 'zod';
import { MAX_TIMEOUT_MS } from '../../policies/facts/deadline.ts';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { LEAST_CHARS, OWN_CHARS } from '../../policies/manifest/prompt-limits.ts';
import { prefixMistakes } from '../../policies/rules/command-prefix.ts';
import { COUNTS } from '../../policies/rules/described-events.ts';
import {
  mistakesOf,
  nameMistake,
  SECRET_PREFIX,
  secretsOfPrefix,
  strangePlace,
  unexpanded,
} from '../../policies/rules/described-mistakes.ts';
import { CONTEXT_LIMIT_TOKENS } from '../../policies/session/session-policy.ts';

/** An optional field with its description. */
export const maybe = <S extends z.ZodType>(schema: S, text: string) => schema.optional().describe(text);

const literal = z
  .string()
  .max(2000)
  .regex(/^[^\0]*$/, 'must have no NUL character');
const word = literal.refine((text) => strangePlace(text) === null, {
  error: (issue) => strangePlace(String(issue.input)) ?? '',
});
const words = z.array(word).max(100);
const plain = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[^-\p{Cc}][^\p{Cc}]*$/u, 'must be one line without control characters that does not begin with a dash');
const field = z
  .string()
  .max(200)
  .regex(/^[^.\s][^\s]*$/, 'must be a path of fields, such as part.text');
const variable = z
  .string()
  .regex(/^(?!TOLLGATE_)[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable, and not begin with TOLLGATE_');
const environment = z.record(variable, word).default({});
const json = z.record(z.string(), z.json());
const phrase = z.string().min(3).max(300);
const exit = (code: number) => z.number().int().min(1).max(125).default(code);
const scalar = z.union([z.string().max(200), z.number(), z.boolean()]);

const TELLS = {
  session: maybe(field, 'Path of the field with the session id, such as session.id; if absent, no session is reported'),
  model: maybe(
    field,
    'Path of the field with the name of the model that the CLI called; if absent, no model is reported',
  ),
  answer: maybe(
    field,
    'Path of the field with a complete message of the answer; required in document; if absent from a row, the row has none',
  ),
  tool: maybe(
    field,
    'Path of the field with the name of a tool that ran; earlier text is not part of the answer; if absent, none is reported',
  ),
  denied: maybe(
    field,
    'Path of the field with the name of a tool that the permissions denied; if absent, none is reported',
  ),
  server_failed: maybe(
    field,
    'Path of the field with the name of an MCP server that failed; if absent, none is reported',
  ),
  warning: maybe(field, 'Path of the field with a warning; if absent, none is reported'),
  error: maybe(
    field,
    'Path of the field with an error that does not necessarily end the call; if absent, none is reported',
  ),
  failure: maybe(
    field,
    'Path of the field with the cause of a failure that ends the call; if absent, none is reported',
  ),
  status: maybe(
    field,
    'Path of the field with the HTTP status of a failure, an error or a retry; if absent, the text is searched for it',
  ),
  code: maybe(
    field,
    'Path of the field with the code of a failure, an error or a retry; if absent, the text is searched for it',
  ),
  details: maybe(
    field,
    'Path of the field with further text of the service about a failure, an error or a retry; if absent, none is reported',
  ),
  tokens: maybe(
    z.strictObject({
      input: maybe(field, 'Path of the field with the number of input tokens; unknown if absent'),
      cached: maybe(
        field,
        'Path of the field with the number of input tokens that came from a cache; unknown if absent',
      ),
      output: maybe(field, 'Path of the field with the number of output tokens; unknown if absent'),
      total: maybe(field, 'Path of the field with the total number of tokens; input plus output if absent'),
    }),
    'Paths of the fields with the numbers of tokens; unknown if absent',
  ),
  requests: maybe(field, 'Path of the field with the number of requests to the model; if absent, none is reported'),
  usd: maybe(
    field,
    'Path of the field with the cost in US dollars; if absent, the cost is calculated from `prices` of the project',
  ),
};

const EVENT = z.strictObject({
  when: z
    .record(field, z.union([scalar.transform((one) => [one]), z.array(scalar).min(1).max(20)]))
    .default({})
    .describe(
      'Paths of fields, each with its required value or a list of possible values; if absent, every object matches',
    ),
  each: maybe(
    field,
    'Path of a list; the row reads each object in it, and its other paths start there; if absent, it reads the whole object',
  ),
  ...TELLS,
  piece: maybe(
    field,
    'Path of the field with a part of a message of the answer, as in a stream; if absent, none is reported',
  ),
  adds: maybe(
    z.literal(true),
    'If true, the counts of this row are added to earlier ones; if absent, they are totals and replace them',
  ),
  retry: maybe(
    field,
    'Path of the field with the cause of a retry that the CLI announces; if absent, none is reported',
  ),
  requested: maybe(
    z.literal(true),
    'If true, the CLI sent a request to the model; if absent, the row reports no request',
  ),
  answered: maybe(
    z.literal(true),
    'If true, the answer to a request has ended; another request before that end is a retry; if absent, none is reported',
  ),
  completed: maybe(z.literal(true), 'If true, the call has succeeded; if no row has it, success_exits decides'),
});

const LOGGED = EVENT.pick({
  ...{ when: true, each: true, requested: true, retry: true, error: true, warning: true },
  ...{ status: true, code: true, details: true },
});
const NO_COUNT = `must have a count: ${COUNTS.map((name) => `{${name}}`).join(', ')}`;

const PREFIX = z
  .array(literal)
  .min(1)
  .max(200)
  .superRefine((prefix, { addIssue }) => {
    if (prefix.length === 0) return;
    const program = unexpanded(prefix[0]!);
    if (program !== null) addIssue({ code: 'custom', path: [0], message: program });
    for (const message of prefixMistakes(prefix)) addIssue({ code: 'custom', message });
    for (const at of secretsOfPrefix(prefix)) addIssue({ code: 'custom', path: [at], message: SECRET_PREFIX });
  })
  .describe(
    'Words that start the CLI through docker, podman, bwrap, ssh or a script, with placeholders {cwd}, {home}, {user}; if absent, it starts directly',
  );

const OWN_TOOL = z
  .strictObject({
    binary: plain
      .refine((text) => unexpanded(text) === null, { error: (issue) => unexpanded(String(issue.input)) ?? '' })
      .describe('Name of a program on the PATH, or its path, relative to the project root; no shell expands it'),
    prefix: PREFIX.optional(),
    argv: z
      .array(z.union([word, words.min(1)]))
      .max(100)
      .default([])
      .describe(
        'Arguments, with placeholders such as {model}; a list of words is omitted if one of its placeholders has no value; none by default',
      ),
    environment: environment.describe(
      'Additional environment variables, with placeholders as in argv; a variable whose placeholder has no value is not set; none by default',
    ),
    prompt: z
      .enum(['stdin', 'file'])
      .default('stdin')
      .describe(
        'Channel of the prompt: stdin (the default), or a file, whose path is the value of the placeholder {prompt_file}',
      ),
    max_prompt_bytes: maybe(
      z.number().int().min(1),
      'Maximum size of a prompt, in bytes; a call with a longer prompt is refused before it is paid; no limit if absent',
    ),
    max_chars: maybe(
      z.number().int().min(LEAST_CHARS),
      `Maximum length of the prompt of a stage, in characters; ${OWN_CHARS} if absent`,
    ),
    context_limit: maybe(
      z.number().int().min(1000),
      `Maximum context of a session, in tokens; a new session replaces a session that exceeds it; ${CONTEXT_LIMIT_TOKENS} if absent`,
    ),
    output: z
      .enum(['text', 'json', 'lines', 'file'])
      .default('text')
      .describe(
        'Place of the answer: text (all of stdout, the default), json (a field of one document), lines (fields of JSON lines) or file ({answer_file})',
      ),
    document: maybe(
      z.strictObject(TELLS),
      'Paths of the fields in the JSON document on stdout; required with output json, and not allowed with other outputs',
    ),
    events: maybe(
      z.array(EVENT).min(1).max(50),
      'Rows that read the JSON lines on stdout; required with output lines, and not allowed with other outputs',
    ),
    omit: maybe(
      z.array(phrase).max(50),
      'Lines to ignore on stderr, and at the beginning and the end of output text; * matches any text; none by default',
    ),
    trailer: maybe(
      z.array(phrase.refine((text) => COUNTS.some((name) => text.includes(`{${name}}`)), NO_COUNT)).max(10),
      'Lines with counts at either end of output text, such as `Tokens: {input} sent, {output} received.*`; * matches any text; none by default',
    ),
    log: maybe(
      z.strictObject({
        variable: variable.describe(
          'Name of the environment variable that receives the path of the log file; if it is already set, no log is read',
        ),
        events: z.array(LOGGED).min(1).max(50).describe('Rows that read the JSON objects in the log file'),
      }),
      'Log file to which the CLI writes JSON objects, for events that its output lacks; if absent, only the output is read',
    ),
    settings: maybe(
      z.strictObject({
        variable: variable.describe(
          'Name of the environment variable that receives the path of the settings file; if it is already set, no file is made',
        ),
        content: json.default({}).describe('Content of the settings file; an empty object by default'),
      }),
      'JSON file with settings, made for each call; no file if absent',
    ),
    success_exits: z
      .array(z.number().int().min(0).max(255))
      .min(1)
      .max(20)
      .default([0])
      .describe('Exit codes that mean success, 0 by default; not used if a row of events has `completed`'),
    access: maybe(
      z.strictObject({
        read: maybe(words, 'Arguments for read access; if absent, calls with read access are refused'),
        write: maybe(
          words,
          'Arguments for write access, which may change the working folder; if absent, calls with write access are refused',
        ),
        full: maybe(
          words,
          'Arguments for full access, which may change anything; if absent, calls with full access are refused',
        ),
      }),
      'Arguments for each access mode, at {access} in argv, otherwise at the end; if absent, every mode is allowed without arguments',
    ),
    retries: z
      .strictObject({
        argv: words
          .default([])
          .describe(
            'Arguments that disable or reduce retries, at {retries} in argv, otherwise at the end; none by default',
          ),
        environment: environment.describe('Environment variables that disable or reduce retries; none by default'),
        settings: maybe(
          json,
          'Top-level fields of the settings file that disable or reduce retries; they replace equal fields of settings.content; none if absent',
        ),
        announced: z
          .array(phrase)
          .max(20)
          .default([])
          .describe(
            'Phrases in lines of stderr that announce a retry; * matches any text, and the last * the cause; none by default',
          ),
      })
      .default({ argv: [], environment: {}, announced: [] })
      .describe('Settings that prevent retries by the CLI itself, each of which would be paid; none by default'),
    version: maybe(
      words.min(1),
      'Arguments that print the version of the CLI; if absent, only `package` provides the version',
    ),
    package: maybe(
      plain,
      'Name of the npm package of the CLI, which provides the version without a start; if absent, `version` provides it',
    ),
    timeout_ms: z
      .number()
      .int()
      .min(1)
      .max(MAX_TIMEOUT_MS)
      .default(600_000)
      .describe('Time limit of a call outside of stages without --timeout-ms, in milliseconds; 600000 by default'),
    exits: z
      .strictObject({
        timeout: exit(13).describe('Exit code of `tollgate call` when a time limit is exceeded; 13 by default'),
        failure: exit(12).describe('Exit code of `tollgate call` for any other failure; 12 by default'),
        missing_binary: exit(10).describe('Exit code of `tollgate call` when the program is not found; 10 by default'),
        bad_input: exit(11).describe('Exit code of `tollgate call` for missing or invalid input; 11 by default'),
      })
      .default({ timeout: 13, failure: 12, missing_binary: 10, bad_input: 11 })
      .describe('Exit codes of `tollgate call` for this CLI; the defaults apply if absent'),
  })
  .superRefine((tool, { addIssue }) => {
    for (const [path, message] of mistakesOf(tool)) addIssue({ code: 'custom', path, message });
  });

export type GivenTool = z.infer<typeof OWN_TOOL>;

const BUILT_IN = z
  .strictObject({ prefix: PREFIX })
  .optional()
  .describe('Command prefix of a built-in CLI; if absent, the CLI starts directly');

export const OWN_TOOLS = z
  .object(Object.fromEntries(TOOLS.map((tool) => [tool, BUILT_IN])) as Record<BuiltIn, typeof BUILT_IN>)
  .catchall(OWN_TOOL)
  // A schema for the keys would report a mistake without its message.
  .superRefine((tools, { addIssue }) => {
    for (const name of Object.keys(tools)) {
      const message = nameMistake(name);
      if (message !== null) addIssue({ code: 'custom', path: [name], message });
    }
  })
  .default({});

/** For a file with possible other mistakes. */
export const ANY_TOOLS = z.looseObject({ tools: z.record(z.string(), z.unknown()).default({}) });
