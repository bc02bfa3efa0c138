// Finds the mistakes in a CLI's description that single fields do not show, or that come from shell syntax.

import { PLACES, placesIn } from '../../policies/rules/places.ts';
import { secretVariables, secretWords } from '../../policies/rules/stray-secrets.ts';
import { nearest } from '../../policies/text/nearest.ts';

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
    | { argv?: readonly string[] | undefined; environment?: Readonly<Record<string, string>> | undefined }
    | undefined;
  version?: readonly string[] | undefined;
}

const SECRET_WORD =
  'looks like a secret, and would stand in clear in the process list and in the files of each call; set it in the environment of tollgate, and name a script that puts it in, such as: exec mine --token "$MINE_TOKEN" "$@"';
const SECRET_VARIABLE =
  'looks like a secret, and would stand in clear in the files of each call; leave it out and set it in the environment of tollgate, which the CLI gets too';

/** Paths at which a secret is in clear text. */
function secretsIn({ argv = [], environment = {}, access = {}, retries, version = [] }: Given): (string | number)[][] {
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
  ];
}

const flagAt = (word: string | readonly string[] | undefined): string => (typeof word === 'string' ? word : '');

/** Mistakes that single fields do not show. */
export function mistakesOf(tool: Given): [path: (string | number)[], message: string][] {
  const { output, prompt, document, events, argv = [], environment: variables = {} } = tool;
  const places = new Set([...argv.flat(), ...Object.values(variables)].flatMap(placesIn));
  const mistakes: [(string | number)[], string][] = [];
  for (const path of secretsIn(tool))
    mistakes.push([path, path.includes('environment') ? SECRET_VARIABLE : SECRET_WORD]);
  if (output === 'lines' && events === undefined)
    mistakes.push([['events'], 'is missing: of output lines it says which line tells what']);
  if (output === 'json' && document?.answer === undefined)
    mistakes.push([['document'], 'has no answer: of output json it says which field is the answer']);
  if (output !== 'lines' && events !== undefined) mistakes.push([['events'], 'is for output lines alone']);
  if (output !== 'json' && document !== undefined) mistakes.push([['document'], 'is for output json alone']);
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
