// Defines the shape of a CLI that a project describes in `tools` of its tollgate.yaml.

import * as z from 'zod';
import { MAX_TIMEOUT_MS } from '../../policies/facts/longest-timeout.ts';
import { COMMANDS, TOOL_NAME, TOOLS } from '../../policies/facts/tools.ts';
import { LEAST_CHARS } from '../../policies/manifest/prompt-limits.ts';
import { mistakesOf, strangePlace, unexpanded } from './own-tool-mistakes.ts';

const word = z
  .string()
  .max(2000)
  .regex(/^[^\0]*$/, 'must have no NUL character')
  .refine((text) => strangePlace(text) === null, { error: (issue) => strangePlace(String(issue.input)) ?? '' });
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
const environment = z
  .record(
    z
      .string()
      .regex(/^(?!TOLLGATE_)[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable, and not begin with TOLLGATE_'),
    word,
  )
  .default({});
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
  ...TELLS,
  piece: field.optional().describe('a piece of a message of the answer'),
  adds: z.literal(true).optional().describe('the counts are added to those reported before; otherwise they are totals'),
  retry: field.optional().describe('it announces a further try, and why'),
  requested: z.literal(true).optional().describe('it sent a request to the model'),
  completed: z.literal(true).optional().describe('the end, with success'),
});

const OWN_TOOL = z
  .strictObject({
    binary: plain
      .refine((text) => unexpanded(text) === null, { error: (issue) => unexpanded(String(issue.input)) ?? '' })
      .describe('a program on the PATH, or a path from the root of the project'),
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
      .describe("characters of a stage's prompt at the most, as prompts.max_chars of the built-in ones"),
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
        announced: z
          .array(z.string().min(3).max(300))
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

const RESERVED: readonly string[] = [
  ...TOOLS,
  ...Object.values(COMMANDS),
  'any',
  'tollgate',
  'preflight',
  'wait_parallel_tasks',
];

export const OWN_TOOLS = z
  .record(z.string(), OWN_TOOL)
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
  if (RESERVED.includes(name)) return 'is a name of tollgate itself; give the CLI one of its own';
  return TOOL_NAME.test(name) ? null : 'must be 1 to 41 of a-z 0-9 _ - and begin with a letter';
}
