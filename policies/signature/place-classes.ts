// Defines the token classes for places: URLs, paths, hosts, and identifiers with their own shape.

import {
  BACKSLASHED,
  BEYOND,
  DIGITS,
  isFile,
  keep,
  LINE,
  oneOf,
  PORT,
  QUERY,
  RELATIVE_RUN,
  TOP_LEVEL,
  type TokenClass,
  type TokenPlace,
  TRAIL_RUN,
  UNIT,
  UNIT_END,
  URL_RUN,
  WORD,
} from './token-class.ts';

const POSIX = String.raw`(?<![\w${BEYOND}/.\-~)\]}<>@+])(?:~[\w.~]{0,33}|\.[.~]{0,33})?/(?=[\w.@~${BEYOND}])`;
const IN_QUOTE = String.raw`(?:(?!\1)[^\n ])`;
const HEX_GROUPS = String.raw`[\da-fA-F]{0,32}(?::[\da-fA-F]{0,32}){2,20}(?:\.[\da-fA-F.]{1,16})?(?<!(?<!:):)(?!\w|:\w)`;
const OCTET = String.raw`(?:25[0-5]|2[0-4]\d|[01]?\d?\d)`;

/** `error.status:429` is not a host. */
const CODE_KEYS = oneOf('code status errno error exit statuscode status_code errorcode error_code');
const TOP = oneOf(TOP_LEVEL.replaceAll('|', ' '));

/** A known ending, or a port. A name that begins with an ending is a name in a program, such as `org.apache.Task`. */
function isHost({ text, at, unitEnd }: TokenPlace): boolean {
  const labels = text.slice(at, unitEnd).split('.');
  const ending = labels.at(-1) ?? '';
  if (labels.length < 2 || ending.length > 12) return false;
  if (/^:\d{1,6}(?![\w:])/.test(text.slice(unitEnd, unitEnd + 9)) && !CODE_KEYS.test(ending)) return true;
  return TOP.test(ending) && !TOP.test(labels[0] ?? '');
}

/** IPv6, MAC, or the groups of a request id; `1:2:3` does not match. */
function isHexGroups(piece: string): boolean {
  const groups = piece.replace(/^\[|\].*$/gs, '');
  const colons = groups.split(':').length - 1;
  if (groups.length > 64 || !(/\d/.test(groups) || colons > 3)) return false;
  return groups.includes('::') || colons === 4 || colons === 5 || colons === 7;
}

const isRelative =
  (slashes: number) =>
  (piece: string): boolean =>
    !piece.includes('//') && piece.split('/').length > (isFile(piece) ? 1 : slashes) && !/^[\d/]{1,2000}$/.test(piece);

export const PLACES: readonly TokenClass[] = [
  {
    name: 'url',
    put: '<url>',
    begins: WORD,
    needs: ':/',
    is: String.raw`(?![fF][iI][lL][eE]:)\w[\w.-]{0,11}://(?:\[[^\]]{0,55}\])?(?:${URL_RUN})?`,
    masks: [['at http://127.0.0.1:18080/r/x?a=1 (HTTP 401).', 'at http <code:401>']],
  },
  {
    name: 'mail',
    put: '<mail>',
    begins: WORD,
    needs: '@',
    is: String.raw`${UNIT}@(?=[A-Za-z_])[\w.-]{1,65535}(?<!\.)`,
    masks: [['signed in as jo.doe@example.com.', 'signed in as']],
  },
  // Spaces are allowed only within a directory's name, because a sentence may also begin with a path.
  {
    name: 'quoted path',
    put: '<path>',
    begins: `${WORD}/~.\\`,
    needs: '/"',
    is: String.raw`(?<=(["\x27\x60]))(?=[A-Za-z]:\\|\\\\\w|${POSIX})(?:${IN_QUOTE}{1,300}|${IN_QUOTE}{0,300} (?:(?!\1)[^\n/\\]){0,300}[/\\](?:(?!\1)[^\n]){0,300})(?=\1)`,
    masks: [["open '/a b/c d.txt'", 'open']],
  },
  {
    name: 'windows path',
    put: '<path>',
    begins: WORD,
    needs: '/:',
    is: String.raw`\w:(?:\\|/(?!/))${BACKSLASHED}${LINE}`,
    masks: [['open C:\\Users\\Jo Doe\\x.ts:3:5 failed', 'open failed']],
    keeps: [['"path":"C:\\\\new\\\\table"', 'path']],
  },
  // A run of backslashes that only escapes something does not match.
  {
    name: 'unc path',
    put: '<path>',
    begins: '\\',
    needs: '/',
    is: String.raw`(?<!\w)\\{2,5}[\w-]{1,64}\\{1,3}(?=\w)${BACKSLASHED}${LINE}`,
    masks: [['open \\\\server\\share\\x failed', 'open failed']],
  },
  {
    name: 'module path',
    put: '<path>',
    begins: 'fnFN',
    needs: ':',
    is: `(?:[fF][iI][lL][eE]:(?=/)|[nN][oO][dD][eE]:(?=[A-Za-z_]))${TRAIL_RUN}${LINE}`,
    masks: [['in node:internal/timers:95:5 or file:///a/b.js:1:2', 'in or']],
  },
  {
    name: 'posix path',
    put: '<path>',
    begins: '/~.',
    needs: '/',
    is: `${POSIX}${TRAIL_RUN}${QUERY}${LINE}`,
    masks: [
      ['~/.codex/config.toml:3 ../a ./b', ''],
      ['GET /v1/a/list?all=True&since=x%3A1 timed out? /a/b?', 'get timed out'],
    ],
    keeps: [
      ["ENOENT: no such file, open '/home/jo/x.json'", 'enoent no such file open'],
      ['</title> and/or // note', 'title and or note'],
    ],
  },
  // Two slashes, or one and a file.
  {
    name: 'relative path',
    put: '<path>',
    begins: WORD,
    needs: '/',
    is: RELATIVE_RUN,
    when: isRelative(2),
    masks: [['src/a/b and src/app.ts:403:11, turn/start', 'and turn start']],
  },
  {
    name: 'hidden path',
    put: '<path>',
    begins: '.',
    needs: '/',
    is: RELATIVE_RUN,
    when: isRelative(1),
    masks: [['in .github/workflows, ...and/or', 'in and or']],
  },
  // Each is installed by another package.
  {
    name: 'shared library',
    put: (piece) => keep(piece.replace(/\.so.*/, '')),
    begins: 'lL',
    needs: '.',
    is: String.raw`lib[A-Za-z][\w+-]{0,60}\.so(?:\.\d{1,5}){0,4}`,
    masks: [['libssl.so.3: cannot open shared object file', 'libssl cannot open shared object file']],
  },
  {
    name: 'file name',
    put: '<path>',
    begins: WORD,
    needs: '.',
    is: `${UNIT}${LINE}`,
    when: isFile,
    masks: [['settings.json, app.ts:403:11, Node.js', 'node.js']],
  },
  {
    name: 'package',
    put: '<name>',
    begins: '@',
    needs: '@/',
    is: String.raw`(?<!\w)@(?=\w)[\w.-]{1,400}/[\w.-]{1,400}`,
    masks: [['cannot load @google/gemini-cli', 'cannot load']],
  },
  {
    name: 'uuid',
    put: '<n>',
    begins: WORD,
    needs: '07',
    is: String.raw`\w{8}(?:-\w{4}){3}-\w{12}`,
    whole: true,
    masks: [['thread 01A1FFB2-9D5A-71B2-B2A5-E8392FC06A26 is busy', 'thread is busy']],
  },
  {
    name: 'prefixed id',
    put: '<n>',
    begins: 'oprctmsbea',
    needs: '7',
    is: String.raw`(?:org|proj)-\w[\w-]{2,79}\w|(?:req|call|toolu|msg|resp|chatcmpl|sess|run|thread|evt|asst|trace|batch)[-_](?:(?=[a-z]{0,80}[A-Z])[A-Za-z]{8,80}|[A-Za-z]{16,80})`,
    whole: true,
    masks: [['organization org-fake, req_aBcDeFgHi', 'organization']],
    keeps: [['call_stack', 'call_stack']],
  },
  {
    name: 'hex groups',
    put: '<host>',
    begins: `:[${DIGITS}abcdefABCDEF`,
    needs: ':',
    is: String.raw`(?<![\w:])(?:\[${HEX_GROUPS}\]${PORT}|${HEX_GROUPS})`,
    when: isHexGroups,
    masks: [
      ['fe80::1 and [::1]:8080 and 00:1a:2b:3c:4d:5e', 'and and'],
      ['ABCD:12AB:1234567:89ABCDE:66F1A2B3', ''],
    ],
    keeps: [['std::panic', 'std panic']],
  },
  {
    name: 'ipv4',
    put: '<host>',
    begins: DIGITS,
    needs: '0.',
    is: String.raw`(?:${OCTET}\.){3}${OCTET}${UNIT_END}${PORT}`,
    masks: [['connect ECONNREFUSED 127.0.0.1:9', 'connect econnrefused']],
  },
  {
    name: 'host',
    put: '<host>',
    begins: WORD,
    needs: '.',
    is: `${UNIT}${PORT}`,
    given: isHost,
    masks: [
      ['getaddrinfo ENOTFOUND api.example.com', 'getaddrinfo enotfound'],
      ['info.mirror.example:80 close, cache.rack:5070 open, error.status:429', 'close open error.status <code:429>'],
    ],
    keeps: [['org.apache.Task general.maxAttempts', 'org.apache.task general.maxattempts']],
  },
  {
    name: 'localhost',
    put: '<host>',
    begins: 'lL',
    needs: '7',
    is: `(?:localhost|Localhost|LOCALHOST)${UNIT_END}${PORT}`,
    masks: [['localhost:3000/x', '']],
  },
];
