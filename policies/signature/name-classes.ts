// Defines the token classes for names: things, users, programs, libraries; and last any word with a digit.

import {
  DIGITS,
  keep,
  LETTERS,
  oneOf,
  quoted,
  TOP_LEVEL,
  type TokenClass,
  type TokenPlace,
  UNIT,
  WORD,
} from './token-class.ts';

/** Servers are not listed: an MCP server has the name from the user's own settings, and two servers are two failures. */
const NAMED_THINGS = oneOf(
  'model models package user host organization organisation project account deployment container extension',
);
const HOLDERS = oneOf(
  'model models project projects location locations publisher publishers organization organizations user users',
);
const KNOWN = oneOf(
  'oauth2 oauth1 sha1 sha256 sha512 md5 utf8 utf-8 utf16 base64 ipv4 ipv6 http2 http3 x509 s3 ec2 k8s x64 x86_64 arm64 win32 log4j auth0 h2 i18n tls1',
);
const SESSIONS = oneOf('opened closed started ended');
const NO_SUCH = oneOf('invalid unknown');
const GIVEN = oneOf('variable tool');
/** Numbered by the program that gives them, and not by a user. */
const NUMBERED = /^(?:call|tool)_\d|^tmp\d/i;
/** What the bodies of requests begin with, as services name it. */
const ROOTS =
  'messages?|tools?|inputs?|contents?|system|system_instruction|generation_config|output_config|request|requests|parts|functions?|function_declarations|tool_choice|body|params|config';
/** What a user has or does. */
const OF_USERS = oneOf(
  'account accounts action actions agent approval authentication authorization cancellation code command confirmation ' +
    'consent content credentials data email error errors feedback group groups home id ids identity info information ' +
    'input inputs interaction interrupt intervention key keys limit limits location login management memory message ' +
    'messages mode name names namespace password permission permissions pool preferences profile profiles project ' +
    'prompt prompts property query quota quotas request requests response role roles scope session sessions settings ' +
    'space state store tier to token tokens type types value action_required who with',
);
/** The normal form has no host, so there this text is only a sentence. */
const FROM_HOST = new RegExp(
  String.raw`^ from (?:\d|::|[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}\.(?:${TOP_LEVEL})(?![\w-]))`,
  'i',
);

/** `opened for user jo`, `invalid user jo`: a name, and not the rest of a sentence such as "waiting for user input". */
function isNamedUser(piece: string, { last, older }: TokenPlace): boolean {
  const [noun = '', name = ''] = piece.split(' ');
  if (!/^user$/i.test(noun) || OF_USERS.test(name)) return false;
  return NO_SUCH.test(last) || (/^for$/i.test(last) && SESSIONS.test(older));
}

/** The name of the program distinguishes failures, its location does not. */
function spawnedName(piece: string): string {
  const [name = ''] = /[\w-]{0,200}$/.exec(piece.replace(/\.(?:exe|cmd|bat|sh|js|cjs|mjs)$/i, '')) ?? [];
  return /^[A-Za-z][A-Za-z_-]*$/.test(name) ? `spawn ${name.toLowerCase()}` : 'spawn';
}

/** Roughly as many capitals as lower-case letters. */
function isMixed(piece: string): boolean {
  const share = piece.replace(/[^A-Z]/g, '').length / piece.length;
  return share > 0.3 && share < 0.7;
}

const isLineHead = (text: string, at: number): boolean =>
  /(?:^|\n)[ \t]{0,8}$/.test(text.slice(Math.max(0, at - 9), at));

export const NAMES: readonly TokenClass[] = [
  {
    name: 'name',
    put: '<name>',
    begins: WORD,
    needs: '"',
    is: quoted(119),
    when: ({ length }, { text, at, lead, last }) =>
      (lead === '' && NAMED_THINGS.test(last)) ||
      /^\W{0,4}model(?!\w)/i.test(text.slice(at + length + 1, at + length + 12)),
    masks: [["Model 'x-y' not found; the 'nope' model", 'model not found the model']],
    keeps: [["invalid value 'nope', MCP server 'docs' failed", 'invalid value nope mcp server docs failed']],
  },
  {
    name: 'user',
    put: (piece, place) => (isNamedUser(piece, place) ? 'username' : keep(piece.slice(0, piece.indexOf(' ')))),
    begins: 'ufaUFA',
    is: String.raw`(?:user|for|account) \w{1,40}`,
    flags: 'iy',
    when: (piece, place, end) => isNamedUser(piece, place) || FROM_HOST.test(place.text.slice(end, end + 200)),
    masks: [
      [
        'Failed password for invalid user jo from 10.0.0.1, for root from 10.0.0.2',
        'failed password for invalid username from for from',
      ],
      [
        'session opened for user kim by (uid=0), session closed for user kim',
        'session opened for username by uid session closed for username',
      ],
      [
        'invalid user admin [preauth]; login denied for user kim.',
        'invalid username preauth login denied for user kim',
      ],
    ],
    keeps: [
      [
        'waiting for user input, for user confirmation; invalid user name',
        'waiting for user input for user confirmation invalid user name',
      ],
    ],
  },
  {
    name: 'model',
    put: '<name>',
    begins: WORD,
    needs: '/',
    is: null,
    given: ({ lead, spaced, last }) => lead === '/' && !spaced && HOLDERS.test(last),
    masks: [['models/nope is not found', 'models is not found']],
  },
  {
    name: 'spawned',
    put: spawnedName,
    begins: 'sS',
    is: String.raw`[sS][pP][aA][wW][nN] [\w./\\:-]{1,200}(?= E[A-Z]{4})`,
    masks: [['spawn gemini ENOENT, spawn C:\\x\\codex.exe ENOENT', 'spawn gemini enoent spawn codex enoent']],
    keeps: [['spawn failed', 'spawn failed']],
  },
  // A label without content: `ERROR:`, `[ERROR]`. Some renderings contain it and others do not.
  {
    name: 'level',
    put: '',
    begins: 'efEF',
    is: `(?:error|fatal|err)`,
    flags: 'iy',
    whole: true,
    when: (piece, { text, at, quote, lead, unitEnd }) =>
      quote === '' && (lead === '[' || text[unitEnd] === ':' || (!/[a-z]/.test(piece) && isLineHead(text, at))),
    masks: [
      ['[ERROR] ERROR: x failed', 'x failed'],
      ['ERROR x failed', 'x failed'],
    ],
    keeps: [['Error when asking', 'error when asking']],
  },
  {
    name: 'hex',
    put: '<n>',
    begins: `${DIGITS}abcdefABCDEF`,
    needs: '7',
    is: String.raw`[\da-fA-F]{7,400}`,
    whole: true,
    masks: [['at deadbeef', 'at']],
  },
  // Base64 and similar text.
  {
    name: 'random',
    put: '<n>',
    isSecret: true,
    begins: WORD,
    needs: '7',
    is: String.raw`[A-Za-z\d]{32,400}`,
    whole: true,
    when: isMixed,
    masks: [['token aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFg', 'token']],
  },
  {
    name: 'library',
    put: (piece) => keep(piece.replace(/_.*/, '')),
    begins: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
    needs: '0.',
    is: String.raw`[A-Z][A-Za-z]{2,30}_\d{1,4}\.\d{1,4}(?:\.\d{1,4}){0,3}`,
    whole: true,
    masks: [["version `GLIBC_2.39' not found, `CXXABI_1.3.15' not found", 'version glibc not found cxxabi not found']],
  },
  {
    name: 'versioned name',
    put: '<name>',
    begins: WORD,
    needs: '0~',
    is: String.raw`${UNIT}~(?=\w)[\w~.-]{1,400}(?<=\w)`,
    when: (piece) => /~.*\d/.test(piece),
    masks: [['of package Base-Drivers-Package~31bf38ad~amd64~~6.1.0.7, skipped', 'of package skipped']],
  },
  // The names that users and their settings give: `context7`, `S3_KEY2`.
  {
    name: 'given name',
    put: (piece) => `<code:${keep(piece)}>`,
    begins: LETTERS,
    needs: '0"',
    is: String.raw`(?:[A-Z][A-Z\d]{0,20}(?:_[A-Z\d]{1,20}){1,3}|[A-Za-z][A-Za-z_-]{0,25}\d{1,2}[A-Za-z_-]{0,25})(?!\w)`,
    whole: true,
    given: ({ last, older }) =>
      GIVEN.test(last) ||
      (/^server$/i.test(last) && /^mcp$/i.test(older)) ||
      (/^for$/i.test(last) && /^client$/i.test(older)),
    when: (piece) => !NUMBERED.test(piece),
    masks: [
      [
        "MCP client for `context7`, MCP server 'mem0', variable: `S3_KEY2`, tool 'mcp__n8n__run'",
        'mcp client for <code:context7> mcp server <code:mem0> variable <code:s3_key2> tool <code:mcp__n8n__run>',
      ],
    ],
    keeps: [
      ["host 'web12', server '10.0.0.1', server 'a1b2c3', server 'db1'", 'host server server server'],
      ['no output for tool "call_3", tool "tool_4"', 'no output for tool tool'],
    ],
  },
  // A place within a request, without its numbers.
  {
    name: 'field',
    put: (piece) => keep(piece.replace(/\.\d+/g, '')),
    begins: LETTERS,
    needs: '.0',
    is: String.raw`(?=[A-Za-z_.]{1,400}\.\d)(?:${ROOTS})(?:\.(?:[A-Za-z_]{2,40}|\d{1,5})){1,20}`,
    whole: true,
    masks: [['messages.1.content.0.image.source: bad, tools.13: bad', 'messages.content.image.source bad tools bad']],
    keeps: [['lock tmp.aBcDeF.12, socket agent.XyZabc.12345', 'lock socket']],
  },
  {
    name: 'number',
    put: '<n>',
    begins: WORD,
    needs: '0',
    is: null,
    when: (piece) => /\d/.test(piece) && !KNOWN.test(piece),
    masks: [['pid 4880, attempt 3/10, blk_-160899, gpt-5.1-codex, OAuth2', 'pid attempt oauth2']],
  },
];
