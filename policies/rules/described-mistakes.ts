// Finds what is wrong with a described CLI: its name, its places, its secrets, and fields that contradict each other.

import { COMMANDS, isBuiltIn, TOOL_NAME, TOOLS } from '../facts/tools.ts';
import { nearest } from '../text/nearest.ts';
import { PLACES, placesIn, secretVariables, secretWords } from './described-words.ts';

const RESERVED: readonly string[] = [...Object.values(COMMANDS), 'any', 'tollgate', 'preflight', 'wait_parallel_tasks'];

/** What is wrong with a name; null if nothing is. */
export function nameMistake(name: string): string | null {
  if (isBuiltIn(name)) return null;
  if (RESERVED.includes(name)) return 'is a name of tollgate itself; give the CLI one of its own';
  return TOOL_NAME.test(name) ? null : 'must be 1 to 41 of a-z 0-9 _ - and begin with a letter';
}

/** They are passed to the wrapper of each call, beside the project's own rows. */
const MAX_BYTES = 24 * 1024;

/** What is wrong with a binary; null if it is valid. */
export function unexpanded(binary: string): string | null {
  if (!/^~|\$|\{/.test(binary)) return null;
  return 'is taken literally, and no shell puts a home or a variable in: give a path from the root of the project, a whole path, or a name on the PATH';
}

/** What is wrong with a placeholder in a word; null if nothing is. */
export function strangePlace(text: string): string | null {
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
export const secretsOfPrefix = (prefix: readonly string[]): number[] =>
  prefix.flatMap((word, i) => {
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? ['', prefix[i - 1]!, word];
    const isSet = value !== word || prefix[i - 2] === '--setenv';
    const isSecret = secretWords(prefix.slice(0, i + 1)).includes(i);
    return isSecret || (isSet && secretVariables({ [name!]: value! }).length > 0) ? [i] : [];
  });

export const SECRET_PREFIX =
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
export function mistakesOf(tool: Given): [path: (string | number)[], message: string][] {
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

/** Why there is none, as half a sentence; null if there is one. @param more Other words that are permitted too. */
export function unknownTool(name: string, described: readonly string[], more: readonly string[] = []): string | null {
  const known: readonly string[] = [...more, ...TOOLS, ...described];
  if (known.includes(name)) return null;
  const near = nearest(name, known);
  return `must be one of ${known.join(', ')}${near === null ? '' : `; did you mean ${near}?`}`;
}

/** Why it cannot be called, in the same form: its description is wrong. */
export const unsoundTool = (name: string, unsound: Readonly<Record<string, string>>): string | null =>
  Object.hasOwn(unsound, name) ? `is ${name}, whose description is wrong: ${unsound[name]}` : null;

/** Why it may not be called, in the same form: its description or its prefix names a program. */
export const untrustedTool = (
  name: string,
  prefixes: Readonly<Record<string, readonly string[]>>,
  trust: 'trusted' | 'untrusted',
): string | null =>
  trust === 'trusted' || (isBuiltIn(name) && !Object.hasOwn(prefixes, name))
    ? null
    : `is ${name}, ${isBuiltIn(name) ? 'to which tollgate.yaml gives a prefix' : 'which tollgate.yaml describes'}, and that counts only in a trusted workspace; use --trust-workspace, or trust it for good with tollgate trust`;
