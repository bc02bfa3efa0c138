// Defines volatile tokens of places: URLs, mail, hosts, ports, paths, places in a source.

import { HEX, pick, type Random, signs, whole } from '../../random.ts';
import type { TokenKind } from '../operator.ts';

const WORDS = [
  'alpha',
  'billing',
  'cart',
  'docs',
  'engine',
  'forge',
  'garden',
  'harbour',
  'index',
  'jobs',
  'kernel',
  'lamp',
];
const NAMES = ['jo', 'ana', 'sam', 'build', 'ci', 'runner', 'dev2', 'kim.lee'];

const byte = (random: Random): number => whole(random, 1, 254);
const ip = (random: Random): string =>
  pick(random, [
    () => `10.${byte(random)}.${byte(random)}.${byte(random)}`,
    () => `192.168.${byte(random)}.${byte(random)}`,
    () => `127.0.0.${byte(random)}`,
    () => `${whole(random, 11, 190)}.${byte(random)}.${byte(random)}.${byte(random)}`,
  ])();
const port = (random: Random): string => String(whole(random, 1024, 65535));
const host = (random: Random): string =>
  `${pick(random, ['api', 'proxy', 'gw', 'eu', 'llm-2', 'models'])}.${pick(random, WORDS)}${whole(random, 1, 99)}.${pick(random, ['com', 'io', 'dev', 'internal', 'example.com', 'co.uk'])}`;
const folders = (random: Random, count: number): string =>
  Array.from({ length: count }, () => pick(random, WORDS)).join('/');
/** Keeps the extension of the file, since a rerun changes the folder and hardly ever the kind of file. */
const fileOf = (old: string, random: Random): string => {
  const ending = /\.[a-z\d]{1,6}$/i.exec(old)?.[0] ?? '';
  return `${pick(random, WORDS)}${pick(random, ['', '-2', '_old', '7'])}${ending}`;
};

const NAME = String.raw`[\w.@+%~-]`;

export const PLACES: readonly TokenKind[] = [
  {
    name: 'URL',
    find: /\b(?:https?|wss?|grpcs?|file):\/\/[^\s"'<>()[\]{}|\\^`]*[^\s"'<>()[\]{}|\\^`.,;:!?]/g,
    make: (old, random) => {
      const scheme = /^\w+/.exec(old)?.[0] ?? 'https';
      const [place = ''] = /(?::\d+){0,2}$/.exec(old) ?? [];
      if (scheme === 'file')
        return `file:///usr/share/${folders(random, 2)}/${fileOf(old.slice(0, old.length - place.length), random)}${place}`;
      const where = pick(random, [
        () => host(random),
        () => `${ip(random)}:${port(random)}`,
        () => `localhost:${port(random)}`,
      ])();
      return `${scheme}://${where}/${folders(random, whole(random, 1, 3))}${pick(random, ['', '?alt=sse', `/${whole(random, 1, 99)}`])}`;
    },
    planted: [', url: *', ' (see *)', ' while calling *.'],
  },
  {
    name: 'mail',
    find: /\b[\w.+-]+@[\w-]+\.[\w.-]*\w/g,
    make: (_old, random) =>
      `${pick(random, NAMES)}${whole(random, 1, 99)}@${pick(random, WORDS)}.${pick(random, ['com', 'org', 'dev'])}`,
    planted: [' (signed in as *)', ' for *'],
  },
  {
    name: 'Windows path',
    find: /\b[A-Z]:(?:\\{1,2}[\w.@+ ~-]+)*\\{1,2}[\w.@+~-]*[\w@+~-]/g,
    make: (old, random) => {
      const between = old.includes('\\\\') ? '\\\\' : '\\';
      return [
        'C:',
        'Users',
        pick(random, ['jo', 'ana', 'build']),
        ...folders(random, 2).split('/'),
        fileOf(old, random),
      ].join(between);
    },
    planted: [" (open '*')", ' at *'],
  },
  {
    name: 'path in the home folder',
    find: new RegExp(String.raw`(?<![\w.:/~-])(?:~|/home/${NAME}+|/Users/${NAME}+|/root)(?:/${NAME}*[\w~-])+`, 'g'),
    make: (old, random) =>
      `${pick(random, [() => '~', () => `/home/${pick(random, NAMES)}`, () => `/Users/${pick(random, NAMES)}`])()}/${folders(random, whole(random, 1, 3))}/${fileOf(old, random)}`,
    planted: [" (open '*')", ' in *', ' cwd: *'],
  },
  {
    name: 'path',
    find: new RegExp(String.raw`(?<![\w.:/<~-])/(?:${NAME}+/)+${NAME}*[\w~-]`, 'g'),
    make: (old, random) =>
      `/${pick(random, ['srv', 'opt', 'tmp', 'var/lib', 'data', 'builds'])}/${folders(random, whole(random, 1, 4))}/${fileOf(old, random)}`,
    planted: [" (open '*')", ' in *', ', path: "*"'],
  },
  {
    name: 'MAC address',
    find: /\b(?:[\da-f]{2}:){5}[\da-f]{2}\b/gi,
    make: (_old, random) => Array.from({ length: 6 }, () => signs(random, 2, HEX)).join(':'),
    planted: [' (device *)'],
  },
  {
    name: 'IPv6',
    find: /\[(?=[^\]]*::|(?:[^:\]]*:){7})[\da-f]{0,4}(?::[\da-f]{0,4}){2,7}\](?::\d+)?|(?<![\w:])(?:(?:[\da-f]{1,4}:){7}[\da-f]{1,4}|(?:[\da-f]{1,4}:){1,6}(?::[\da-f]{1,4}){1,6})(?![\w:])/gi,
    make: (old, random) => {
      const address = `2001:db8:${signs(random, 4, HEX)}::${signs(random, 3, HEX)}`;
      return old.startsWith('[') ? `[${address}]:${port(random)}` : address;
    },
    planted: [' (connect [*]:443)', ' from *'],
  },
  {
    name: 'IP address',
    find: /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{2,5})?(?![\w.]*\d)/g,
    make: (old, random) => (old.includes(':') ? `${ip(random)}:${port(random)}` : ip(random)),
    planted: [' (*:443)', ' from *', ' connect *:8080'],
  },
  {
    name: 'port',
    find: /(?<=\blocalhost:|\bport["']?[:= ]{1,2}|\.(?:com|net|org|io|dev|ai|internal|local):)\d{2,5}\b/g,
    make: (_old, random) => port(random),
    planted: [' (localhost:*)', ' on port *', ' port=*'],
  },
  {
    name: 'host',
    find: /(?<![\w.@/-])(?:[a-z\d-]+\.)+(?:com|net|org|io|dev|ai|internal|local|cloud|uk)\b(?![\w/@-]|\.\w)/gi,
    make: (_old, random) => host(random),
    planted: [' (getaddrinfo *)', ' host: *', ' at *'],
  },
  {
    name: 'place in a source',
    find: /(?<=\.(?:ts|js|mjs|cjs|tsx|py|rs|go|java|json|toml|yaml|yml|sh):)\d+(?::\d+)?(?!\w)/g,
    make: (old, random) =>
      old.includes(':') ? `${whole(random, 1, 9999)}:${whole(random, 1, 120)}` : String(whole(random, 1, 9999)),
    planted: [' (src/app.ts:*)', ' at config.toml:*', ' in /srv/app/main.py:*'],
  },
  {
    name: 'line and column',
    find: /(?<=\b[Ll]ine )\d+(?:(?:,? col(?:umn)? |:)\d+)?|(?<=\b(?:sh|bash|zsh|dash): )\d+(?=: )/g,
    make: (old, random) =>
      old === '' ? String(whole(random, 1, 900)) : old.replace(/\d+/g, () => String(whole(random, 1, 900))),
    planted: [' (line *)', ' at line * column 7'],
  },
];
