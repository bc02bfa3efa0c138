// Defines the command prefix of a CLI: words that start it in a container, a sandbox or on another machine, and what each needs.

import { shellWord } from '../text/display.ts';
import { nearest } from '../text/nearest.ts';
import { placesIn } from './described-words.ts';

/** What the words of a prefix depend on. */
interface PrefixedCall {
  /** The values of the places that a user may write. */
  places: Readonly<Record<(typeof PREFIX_PLACES)[number], string>>;
  name: string;
  /** The variables that Tollgate sets for the call. */
  variables: Readonly<Record<string, string>>;
  /** Folders that the CLI needs besides its working folder. */
  folders: readonly string[];
}

interface Runner {
  /** Adds to the user's words what every call needs. */
  complete(words: readonly string[], call: PrefixedCall): string[];
  /** What is wrong with the user's words, each as half a sentence. */
  mistakes(words: readonly string[]): string[];
  /** The words that end its container. It does not end with its client. */
  stop?: readonly string[];
  /** A shell elsewhere reads the words. It gets no variables of ours. */
  isRemote?: true;
}

const PREFIX_PLACES = ['cwd', 'home', 'user'] as const;

const CONTAINERS: Runner = {
  complete: ([program, run, ...words], { places, name, variables, folders }) => [
    ...[program!, run!, '--name', name, '--workdir', places.cwd],
    ...Object.keys(variables).flatMap((variable) => ['--env', variable]),
    ...folders.flatMap((folder) => ['--volume', `${folder}:${folder}`]),
    ...words,
  ],
  mistakes: ([program, run, ...words]) => {
    if (run !== 'run') return [`must continue with run after ${program}: a container of its own can be ended`];
    const has = (long: string, short?: string) =>
      words.some(
        (word) =>
          word === `--${long}` ||
          word === `--${long}=true` ||
          (short !== undefined && /^-[diPqt]+$/.test(word) && word.includes(short)),
      );
    return [
      ...(has('interactive', 'i') ? [] : ['needs -i: without it the prompt does not reach the CLI']),
      ...(has('rm') ? [] : ['needs --rm: otherwise a container remains after each call']),
      ...(has('detach', 'd') ? ['must not have -d (--detach): the answer of a detached container is lost'] : []),
      ...(has('tty', 't') ? ['must not have -t (--tty): a terminal changes the output of the CLI'] : []),
      ...(words.some((word) => /^--name(=|$)/.test(word))
        ? ['must not have --name: Tollgate names each container, so that it can end it']
        : []),
    ];
  },
  stop: ['stop', '-t', '2'],
};

const RUNNERS: Readonly<Record<string, Runner>> = {
  docker: CONTAINERS,
  podman: CONTAINERS,
  bwrap: {
    complete: (words, { variables, folders }) => {
      const at = words.includes('--') ? words.indexOf('--') : words.length;
      // It removes ours too.
      const isCleared = words.slice(0, at).includes('--clearenv');
      return [
        ...words.slice(0, at),
        ...(isCleared ? Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]) : []),
        ...folders.flatMap((folder) => ['--bind', folder, folder]),
        ...words.slice(at),
      ];
    },
    mistakes: () => [],
  },
  ssh: { complete: (words) => [...words], mistakes: () => [], isRemote: true },
};

const OTHER: Runner = { complete: (words) => [...words], mistakes: () => [] };

const programOf = (prefix: readonly string[]): string => prefix[0]!.slice(prefix[0]!.lastIndexOf('/') + 1);

const runnerOf = (prefix: readonly string[]): Runner =>
  Object.hasOwn(RUNNERS, programOf(prefix)) ? RUNNERS[programOf(prefix)]! : OTHER;

/** The program that ends the container of a call, and the words before its name; null if the prefix makes none. */
export function containerEnd(prefix: readonly string[]): { program: string; words: readonly string[] } | null {
  const { stop } = runnerOf(prefix);
  return stop === undefined ? null : { program: programOf(prefix), words: stop };
}

/** Whether our variables do not reach the CLI. */
export const isRemote = (prefix: readonly string[]): boolean => runnerOf(prefix).isRemote === true;

/** @returns a function that puts the words of a CLI after those of the prefix. */
export function throughPrefix(prefix: readonly string[], call: PrefixedCall): (cli: readonly string[]) => string[] {
  const { complete, isRemote } = runnerOf(prefix);
  const filled = prefix.map((word) =>
    PREFIX_PLACES.reduce((text, place) => text.replaceAll(`{${place}}`, () => call.places[place]), word),
  );
  const words = complete(filled, call);
  return (cli) => [...words, ...(isRemote ? cli.map(shellWord) : cli)];
}

/** What is wrong with a prefix, each as half a sentence. */
export function prefixMistakes(prefix: readonly string[]): string[] {
  const strange = prefix
    .flatMap(placesIn)
    .filter((name) => !(PREFIX_PLACES as readonly string[]).includes(name))
    .map((name) => {
      const near = nearest(name, PREFIX_PLACES);
      return `has no such place as {${name}}; ${near === null ? `the places are ${PREFIX_PLACES.join(', ')}` : `did you mean {${near}}?`}`;
    });
  return [...strange, ...runnerOf(prefix).mistakes(prefix)];
}
