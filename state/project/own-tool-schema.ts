// Defines the shape of a CLI that a project describes in `tools` of its tollgate.yaml.

import * as z from 'zod';
import { MAX_TIMEOUT_MS } from '../../policies/facts/deadline.ts';
import { type BuiltIn, COMMANDS, isBuiltIn, TOOL_NAME, TOOLS } from '../../policies/facts/tools.ts';
import { LEAST_CHARS } from '../../policies/manifest/prompt-limits.ts';
import { prefixMistakes } from '../../policies/rules/command-prefix.ts';
import { COUNTS } from '../../policies/rules/described-events.ts';
import { PLACES, placesIn, secretVariables, secretWords } from '../../policies/rules/described-words.ts';
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
  session: field.optional().describe('the id of its session'),
  model: field.optional().describe('the model that it called'),
  answer: field.optional().describe('a whole message of the answer'),
  tool: field.optional().describe('the name of a tool that ran; the answer is what follows the last one'),
  denied: field.optional().describe('the name of a tool that its permissions denied'),
  server_failed: field.optional().describe('the name of an MCP server that failed'),
  warning: field.optional().describe('a warning'),
  error: field.optional().describe('an error that need not be the end'),
  failure: field.optional().describe('the end, without success, and why'),
  status: field.optional().describe('the HTTP status of that failure'),
  code: field.optional().describe('the code of that failure'),
  details: field.optional().describe('what else the service said of it'),
  tokens: z
    .strictObject({
      input: field.optional().describe('that it read'),
      cached: field.optional().describe('of them, those read from a cache'),
      output: field.optional().describe('that it wrote'),
      total: field.optional().describe('in all'),
    })
    .optional()
    .describe('the tokens that it counted'),
  requests: field.optional().describe('how many requests it made'),
  usd: field.optional().describe('what it cost, in US dollars'),
};

const EVENT = z.strictObject({
  when: z
    .record(field, z.union([scalar.transform((one) => [one]), z.array(scalar).min(1).max(20)]))
    .default({})
    .describe('fields that must have that value, or one of these'),
  each: field
    .optional()
    .describe('a list: the row counts for each of its objects, and all other paths begin in the object'),
  ...TELLS,
  piece: field.optional().describe('a piece of a message of the answer'),
  adds: z.literal(true).optional().describe('the counts are added to those reported before; otherwise they are totals'),
  retry: field.optional().describe('it announces a further try, and why'),
  requested: z.literal(true).optional().describe('it sent a request to the model'),
  answered: z
    .literal(true)
    .optional()
    .describe('the end of the answer to a request: another request before it is a further try'),
  completed: z.literal(true).optional().describe('the end, with success'),
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
  .describe('words that start it elsewhere: docker or podman run, bwrap, ssh, a script; places: {cwd}, {home}, {user}');

const OWN_TOOL = z
  .strictObject({
    binary: plain
      .refine((text) => unexpanded(text) === null, { error: (issue) => unexpanded(String(issue.input)) ?? '' })
      .describe('a program on the PATH, or a path from the root of the project'),
    prefix: PREFIX.optional(),
    argv: z
      .array(z.union([word, words.min(1)]))
      .max(100)
      .default([])
      .describe(
        `its arguments, with places such as {model}; a list among them is omitted if one of its places has no value`,
      ),
    environment: environment.describe('variables that it gets, with places too'),
    prompt: z
      .enum(['stdin', 'file'])
      .default('stdin')
      .describe('how it gets the prompt: the path of a file is {prompt_file}'),
    max_prompt_bytes: z.number().int().min(1).optional().describe('a longer prompt is refused before any call'),
    max_chars: z
      .number()
      .int()
      .min(LEAST_CHARS)
      .optional()
      .describe("characters of a stage's prompt at most, as prompts.max_chars of the built-in ones"),
    context_limit: z
      .number()
      .int()
      .min(1000)
      .optional()
      .describe('tokens of its context beyond which a fresh session replaces the old one'),
    output: z
      .enum(['text', 'json', 'lines', 'file'])
      .default('text')
      .describe(
        'where the answer is: all of stdout, a field of its JSON, fields of its lines of JSON, or the file {answer_file}',
      ),
    document: z.strictObject(TELLS).optional().describe('of output json: which field is what'),
    events: z.array(EVENT).min(1).max(50).optional().describe('of output lines: which line tells what'),
    omit: z
      .array(phrase)
      .max(50)
      .optional()
      .describe('lines that say nothing: of stderr, and at the beginning and end of output text; * is any text'),
    trailer: z
      .array(phrase.refine((text) => COUNTS.some((name) => text.includes(`{${name}}`)), NO_COUNT))
      .max(10)
      .optional()
      .describe('of output text: such lines with counts, as in `Tokens: {input} sent, {output} received.*`'),
    log: z
      .strictObject({
        variable: variable.describe('it gets the path of the file'),
        events: z.array(LOGGED).min(1).max(50).describe('which object tells what'),
      })
      .optional()
      .describe('a file that it writes JSON objects to, for what its output does not tell'),
    settings: z
      .strictObject({
        variable: variable.describe('it gets the path of the file, unless it is set already'),
        content: json.default({}).describe('what the file has'),
      })
      .optional()
      .describe('settings for each call, in a JSON file of its own'),
    success_exits: z
      .array(z.number().int().min(0).max(255))
      .min(1)
      .max(20)
      .default([0])
      .describe('with which it says that it succeeded, where no event says so'),
    access: z
      .strictObject({
        read: words.optional().describe('to look'),
        write: words.optional().describe('to change the working folder'),
        full: words.optional().describe('to do anything'),
      })
      .optional()
      .describe('the arguments of each mode, for the place {access}, else the end; one that is not there is refused'),
    retries: z
      .strictObject({
        argv: words.default([]).describe('the arguments that turn them down, for the place {retries}, else the end'),
        environment: environment.describe('variables that turn them down'),
        settings: json.optional().describe('groups that turn them down, beside those of settings.content'),
        announced: z
          .array(phrase)
          .max(20)
          .default([])
          .describe('lines of stderr that announce one; * is any text, and the last one the cause'),
      })
      .default({ argv: [], environment: {}, announced: [] })
      .describe('its own retries, which would each be paid'),
    version: words
      .min(1)
      .optional()
      .describe('the arguments that print its version; without them the version is not checked'),
    package: plain.optional().describe('the npm package that it is in, which tells its version without a start'),
    timeout_ms: z.number().int().min(1).max(MAX_TIMEOUT_MS).default(600_000).describe('of a call, by default'),
    exits: z
      .strictObject({
        timeout: exit(13).describe('a deadline passed'),
        failure: exit(12).describe('any other failure'),
        missing_binary: exit(10).describe('its binary is not there'),
        bad_input: exit(11).describe('missing or bad input'),
      })
      .default({ timeout: 13, failure: 12, missing_binary: 10, bad_input: 11 })
      .describe('the exit codes of `tollgate call`'),
  })
  .superRefine((tool, { addIssue }) => {
    for (const [path, message] of mistakesOf(tool)) addIssue({ code: 'custom', path, message });
  });

export type GivenTool = z.infer<typeof OWN_TOOL>;

const RESERVED: readonly string[] = [...Object.values(COMMANDS), 'any', 'tollgate', 'preflight', 'wait_parallel_tasks'];

const BUILT_IN = z
  .strictObject({ prefix: PREFIX })
  .optional()
  .describe('a built-in CLI, which is called through a prefix');

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
