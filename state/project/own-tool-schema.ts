// Defines the shape of a CLI that a project describes in `tools` of its tollgate.yaml.

import * as z from 'zod';
import { MAX_TIMEOUT_MS } from '../../policies/facts/deadline.ts';
import { type BuiltIn, COMMANDS, isBuiltIn, TOOL_NAME, TOOLS } from '../../policies/facts/tools.ts';
import { LEAST_CHARS, OWN_CHARS } from '../../policies/manifest/prompt-limits.ts';
import { prefixMistakes } from '../../policies/rules/command-prefix.ts';
import { COUNTS } from '../../policies/rules/described-events.ts';
import { PLACES, placesIn, secretVariables, secretWords } from '../../policies/rules/described-words.ts';
import { CONTEXT_LIMIT_TOKENS } from '../../policies/session/session-policy.ts';
import { nearest } from '../../policies/text/nearest.ts';

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
  session: field
    .optional()
    .describe('Path of the field with the session id, such as session.id; if absent, no session is reported'),
  model: field
    .optional()
    .describe('Path of the field with the name of the model that the CLI called; if absent, no model is reported'),
  answer: field
    .optional()
    .describe(
      'Path of the field with a complete message of the answer; required in document; if absent from a row, the row has none',
    ),
  tool: field
    .optional()
    .describe(
      'Path of the field with the name of a tool that ran; earlier text is not part of the answer; if absent, none is reported',
    ),
  denied: field
    .optional()
    .describe('Path of the field with the name of a tool that the permissions denied; if absent, none is reported'),
  server_failed: field
    .optional()
    .describe('Path of the field with the name of an MCP server that failed; if absent, none is reported'),
  warning: field.optional().describe('Path of the field with a warning; if absent, none is reported'),
  error: field
    .optional()
    .describe('Path of the field with an error that does not necessarily end the call; if absent, none is reported'),
  failure: field
    .optional()
    .describe('Path of the field with the cause of a failure that ends the call; if absent, none is reported'),
  status: field
    .optional()
    .describe(
      'Path of the field with the HTTP status of a failure, an error or a retry; if absent, the text is searched for it',
    ),
  code: field
    .optional()
    .describe(
      'Path of the field with the code of a failure, an error or a retry; if absent, the text is searched for it',
    ),
  details: field
    .optional()
    .describe(
      'Path of the field with further text of the service about a failure, an error or a retry; if absent, none is reported',
    ),
  tokens: z
    .strictObject({
      input: field.optional().describe('Path of the field with the number of input tokens; unknown if absent'),
      cached: field
        .optional()
        .describe('Path of the field with the number of input tokens that came from a cache; unknown if absent'),
      output: field.optional().describe('Path of the field with the number of output tokens; unknown if absent'),
      total: field
        .optional()
        .describe('Path of the field with the total number of tokens; input plus output if absent'),
    })
    .optional()
    .describe('Paths of the fields with the numbers of tokens; unknown if absent'),
  requests: field
    .optional()
    .describe('Path of the field with the number of requests to the model; if absent, none is reported'),
  usd: field
    .optional()
    .describe(
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
  each: field
    .optional()
    .describe(
      'Path of a list; the row reads each object in it, and its other paths start there; if absent, it reads the whole object',
    ),
  ...TELLS,
  piece: field
    .optional()
    .describe('Path of the field with a part of a message of the answer, as in a stream; if absent, none is reported'),
  adds: z
    .literal(true)
    .optional()
    .describe('If true, the counts of this row are added to earlier ones; if absent, they are totals and replace them'),
  retry: field
    .optional()
    .describe('Path of the field with the cause of a retry that the CLI announces; if absent, none is reported'),
  requested: z
    .literal(true)
    .optional()
    .describe('If true, the CLI sent a request to the model; if absent, the row reports no request'),
  answered: z
    .literal(true)
    .optional()
    .describe(
      'If true, the answer to a request has ended; another request before that end is a retry; if absent, none is reported',
    ),
  completed: z
    .literal(true)
    .optional()
    .describe('If true, the call has succeeded; if no row has it, success_exits decides'),
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
    max_prompt_bytes: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe(
        'Maximum size of a prompt, in bytes; a call with a longer prompt is refused before it is paid; no limit if absent',
      ),
    max_chars: z
      .number()
      .int()
      .min(LEAST_CHARS)
      .optional()
      .describe(`Maximum length of the prompt of a stage, in characters; ${OWN_CHARS} if absent`),
    context_limit: z
      .number()
      .int()
      .min(1000)
      .optional()
      .describe(
        `Maximum context of a session, in tokens; a new session replaces a session that exceeds it; ${CONTEXT_LIMIT_TOKENS} if absent`,
      ),
    output: z
      .enum(['text', 'json', 'lines', 'file'])
      .default('text')
      .describe(
        'Place of the answer: text (all of stdout, the default), json (a field of one document), lines (fields of JSON lines) or file ({answer_file})',
      ),
    document: z
      .strictObject(TELLS)
      .optional()
      .describe(
        'Paths of the fields in the JSON document on stdout; required with output json, and not allowed with other outputs',
      ),
    events: z
      .array(EVENT)
      .min(1)
      .max(50)
      .optional()
      .describe(
        'Rows that read the JSON lines on stdout; required with output lines, and not allowed with other outputs',
      ),
    omit: z
      .array(phrase)
      .max(50)
      .optional()
      .describe(
        'Lines to ignore on stderr, and at the beginning and the end of output text; * matches any text; none by default',
      ),
    trailer: z
      .array(phrase.refine((text) => COUNTS.some((name) => text.includes(`{${name}}`)), NO_COUNT))
      .max(10)
      .optional()
      .describe(
        'Lines with counts at either end of output text, such as `Tokens: {input} sent, {output} received.*`; * matches any text; none by default',
      ),
    log: z
      .strictObject({
        variable: variable.describe(
          'Name of the environment variable that receives the path of the log file; if it is already set, no log is read',
        ),
        events: z.array(LOGGED).min(1).max(50).describe('Rows that read the JSON objects in the log file'),
      })
      .optional()
      .describe(
        'Log file to which the CLI writes JSON objects, for events that its output lacks; if absent, only the output is read',
      ),
    settings: z
      .strictObject({
        variable: variable.describe(
          'Name of the environment variable that receives the path of the settings file; if it is already set, no file is made',
        ),
        content: json.default({}).describe('Content of the settings file; an empty object by default'),
      })
      .optional()
      .describe('JSON file with settings, made for each call; no file if absent'),
    success_exits: z
      .array(z.number().int().min(0).max(255))
      .min(1)
      .max(20)
      .default([0])
      .describe('Exit codes that mean success, 0 by default; not used if a row of events has `completed`'),
    access: z
      .strictObject({
        read: words.optional().describe('Arguments for read access; if absent, calls with read access are refused'),
        write: words
          .optional()
          .describe(
            'Arguments for write access, which may change the working folder; if absent, calls with write access are refused',
          ),
        full: words
          .optional()
          .describe(
            'Arguments for full access, which may change anything; if absent, calls with full access are refused',
          ),
      })
      .optional()
      .describe(
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
        settings: json
          .optional()
          .describe(
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
    version: words
      .min(1)
      .optional()
      .describe('Arguments that print the version of the CLI; if absent, only `package` provides the version'),
    package: plain
      .optional()
      .describe(
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

const RESERVED: readonly string[] = [...Object.values(COMMANDS), 'any', 'tollgate', 'preflight', 'wait_parallel_tasks'];

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

function nameMistake(name: string): string | null {
  if (isBuiltIn(name)) return null;
  if (RESERVED.includes(name)) return 'is a name of tollgate itself; give the CLI one of its own';
  return TOOL_NAME.test(name) ? null : 'must be 1 to 41 of a-z 0-9 _ - and begin with a letter';
}

/** They are passed to the wrapper of each call, beside the project's own rows. */
const MAX_BYTES = 24 * 1024;

/** What is wrong with a binary; null if it is valid. */
function unexpanded(binary: string): string | null {
  if (!/^~|\$|\{/.test(binary)) return null;
  return 'is taken literally, and no shell puts a home or a variable in: give a path from the root of the project, a whole path, or a name on the PATH';
}

/** What is wrong with a placeholder in a word; null if nothing is. */
function strangePlace(text: string): string | null {
  const strange = placeLike(text).find((name) => !PLACES.includes(name as never));
  if (strange === undefined) return null;
  const near = nearest(strange.replaceAll('-', '_'), PLACES);
  return `has no such place as {${strange}}; ${near === null ? `the places are ${PLACES.join(', ')}` : `did you mean {${near}}?`}`;
}

/** Also matches attempts at a placeholder: `{Model}`, `{prompt-file}`. */
const placeLike = (text: string): string[] => [...text.matchAll(/\{([A-Za-z][\w-]*)\}/g)].map(([, name]) => name!);

interface Given {
  output?: string | undefined;
  prompt?: string | undefined;
  document?: { answer?: string | undefined; session?: string | undefined } | undefined;
  events?: readonly { session?: string | undefined }[] | undefined;
  argv?: readonly (string | readonly string[])[] | undefined;
  environment?: Readonly<Record<string, string>> | undefined;
  access?: Readonly<Record<string, readonly string[] | undefined>> | undefined;
  retries?:
    | {
        argv?: readonly string[] | undefined;
        environment?: Readonly<Record<string, string>> | undefined;
        settings?: object | undefined;
      }
    | undefined;
  version?: readonly string[] | undefined;
  trailer?: readonly string[] | undefined;
  settings?: { content?: object } | undefined;
}

const SECRET_WORD =
  'looks like a secret, and would stand in clear in the process list and in the files of each call; set it in the environment of tollgate, and name a script that puts it in, such as: exec mine --token "$MINE_TOKEN" "$@"';

/** The words that are secrets, also as the value of a variable: `--env NAME=value`, `--setenv NAME value`. */
const secretsOfPrefix = (prefix: readonly string[]): number[] =>
  prefix.flatMap((word, i) => {
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? ['', prefix[i - 1]!, word];
    const isSet = value !== word || prefix[i - 2] === '--setenv';
    const isSecret = secretWords(prefix.slice(0, i + 1)).includes(i);
    return isSecret || (isSet && secretVariables({ [name!]: value! }).length > 0) ? [i] : [];
  });

const SECRET_PREFIX =
  'looks like a secret, and would stand in clear in the process list and in the files of each call; name the variable alone, such as: --env MY_KEY';

const SECRET_VARIABLE =
  'looks like a secret, and would stand in clear in the files of each call; leave it out and set it in the environment of tollgate, which the CLI gets too';

/** Paths at which a secret is in clear text. */
function secretsIn({
  argv = [],
  environment = {},
  access = {},
  retries,
  version = [],
  settings,
}: Given): (string | number)[][] {
  // A list among the arguments is checked by itself, and a word together with the flag before it.
  const inArgv = argv.flatMap((word, i) => {
    if (typeof word === 'string') return secretWords([flagAt(argv[i - 1]), word]).includes(1) ? [[i]] : [];
    return secretWords(word).map((at) => [i, at]);
  });
  const inWords = (path: string[], words: readonly string[] = []) => secretWords(words).map((at) => [...path, at]);
  const inVariables = (path: string[], variables: Record<string, string> = {}) =>
    secretVariables(variables).map((name) => [...path, name]);
  return [
    ...inArgv.map((path) => ['argv', ...path]),
    ...inVariables(['environment'], environment),
    ...Object.entries(access).flatMap(([mode, words]) => inWords(['access', mode], words)),
    ...inWords(['retries', 'argv'], retries?.argv),
    ...inVariables(['retries', 'environment'], retries?.environment),
    ...inWords(['version'], version),
    ...inVariables(['settings', 'content'], leavesOf(settings?.content)),
    ...inVariables(['retries', 'settings'], leavesOf(retries?.settings)),
  ];
}

/** The texts in a JSON value, each with the name of its field. */
const leavesOf = (value: unknown, name = ''): Record<string, string> =>
  typeof value === 'string'
    ? { [name]: value }
    : Object.assign({}, ...Object.entries(value ?? {}).map(([key, one]) => leavesOf(one, key)));

const flagAt = (word: string | readonly string[] | undefined): string => (typeof word === 'string' ? word : '');

/** Mistakes that single fields do not show. */
function mistakesOf(tool: Given): [path: (string | number)[], message: string][] {
  const { output, prompt, document, events, argv = [], environment: variables = {} } = tool;
  const places = new Set([...argv.flat(), ...Object.values(variables)].flatMap(placesIn));
  const mistakes: [(string | number)[], string][] = [];
  for (const path of secretsIn(tool))
    mistakes.push([path, /environment|settings/.test(path.join()) ? SECRET_VARIABLE : SECRET_WORD]);
  if (output === 'lines' && events === undefined)
    mistakes.push([['events'], 'is missing: of output lines it says which line tells what']);
  if (output === 'json' && document?.answer === undefined)
    mistakes.push([['document'], 'has no answer: of output json it says which field is the answer']);
  if (output !== 'lines' && events !== undefined) mistakes.push([['events'], 'is for output lines alone']);
  if (output !== 'json' && document !== undefined) mistakes.push([['document'], 'is for output json alone']);
  if (output !== 'text' && tool.trailer !== undefined) mistakes.push([['trailer'], 'is for output text alone']);
  if (tool.retries?.settings !== undefined && tool.settings === undefined)
    mistakes.push([['retries', 'settings'], 'needs settings with a variable, which names their file']);
  const words = argv.flatMap((word, i): [(string | number)[], string][] =>
    typeof word === 'string' ? [[['argv', i], word]] : word.map((each, at) => [['argv', i, at], each]),
  );
  const values = Object.entries(variables).map(([name, value]): [string[], string] => [['environment', name], value]);
  for (const [path, text] of [...words, ...values]) {
    const list = placesIn(text).find((place) => place === 'access' || place === 'retries');
    if (list !== undefined && (path[0] === 'environment' || text !== `{${list}}`))
      mistakes.push([path, `has {${list}}, which is a list of words; it can only be a whole word of argv`]);
  }
  if (prompt === 'file' && !places.has('prompt_file'))
    mistakes.push([['argv'], 'has no place {prompt_file}, and the prompt goes by file']);
  if (output === 'file' && !places.has('answer_file'))
    mistakes.push([['argv'], 'has no place {answer_file}, and the answer comes by file']);
  const hasSession = document?.session !== undefined || (events ?? []).some(({ session }) => session !== undefined);
  if (hasSession && !places.has('session'))
    mistakes.push([
      ['argv'],
      'has no place {session}, though a field names its session; add [--resume, "{session}"] or the like',
    ]);
  if (Buffer.byteLength(JSON.stringify(tool)) > MAX_BYTES)
    mistakes.push([[], `has over ${MAX_BYTES} bytes; make it shorter`]);
  return mistakes;
}
