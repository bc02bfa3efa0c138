// Defines operators that change one distinguishing word or figure: another failure, and so another signature.

import { other, pick, type Random } from '../random.ts';
import type { Operator } from './operator.ts';
import type { Subject } from './subject.ts';
import { bucketOf, secondsOf, WAIT } from './tokens/amounts.ts';
import { replaced, tokensOf } from './tokens.ts';

// Words that distinguish failures, in groups: each word of a group may replace another, and means something else.
const words = (list: string): readonly string[] => list.split(' ');

const GROUPS: readonly (readonly string[])[] = [
  'expired revoked missing disabled malformed duplicated',
  'read write open delete rename create execute',
  'model session file project account organization region workspace profile extension directory',
  'refused reset closed aborted',
  'request response prompt message stream',
  'input output',
  'overloaded unavailable exhausted suspended deactivated archived',
  'billing subscription payment licence',
  'memory disk network database',
  'certificate proxy gateway firewall',
  'user admin owner member guest',
  'parse load save connect resolve start initialize fetch send decode verify acquire validate',
  'key token password cookie',
  'large long small deep',
  'argument option command variable setting',
  'client server host peer',
  'internal external remote local',
  'header body parameter field',
  'credits seats requests tokens',
].map(words);

/** Words that follow "not". */
const DENIALS = words('found allowed supported permitted configured installed enabled authorized');

/** Kinds of what is run or loaded and can be missing. */
const KINDS = words('command module package binary executable library plugin interpreter');

const ERRNOS = words(
  'ENOENT EACCES EPERM EROFS ENOSPC ENOMEM EMFILE EISDIR ENOTDIR EEXIST EBUSY EPIPE ECONNREFUSED ECONNRESET ECONNABORTED ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH EADDRINUSE EINVAL',
);

const GRPC = words(
  'CANCELLED INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED',
);

const CODES = words(
  'invalid_api_key rate_limit_exceeded insufficient_quota context_length_exceeded model_not_found server_error invalid_request_error permission_error authentication_error overloaded_error usage_limit_reached content_filter billing_hard_limit_reached',
);

const SIGNALS = words('SIGKILL SIGSEGV SIGABRT SIGTERM SIGBUS SIGILL SIGINT');

const ERROR_TYPES = words(
  'TypeError RangeError SyntaxError ReferenceError FetchError AbortError TimeoutError ConfigError AuthenticationError PermissionError ValidationError QuotaError',
);

const STATUSES: readonly number[] = [400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504, 529];

/** Words that no failure is about: they replace a verb or noun of the first sentence. */
const STRANGERS = words('archive compile publish rotate measure import branch schema ledger widget parcel matrix');

/** Words that form a sentence but do not describe a failure. */
const CARRIERS: ReadonlySet<string> = new Set(
  words(
    'about after again already another because been before being below between cannot could does doing during each either error failed failure fatal first following from further have having here into itself last least less likely many might more most much must need needs only other over please provided retry retrying same second should since some such than that their them then there these they this those through under unless until upon very want warning were what when where whether which while will with within without would your yours',
  ),
);

/** Only this much of the signed lines is used: the rest is a dump, or repeats. */
const MAX_HEAD = 400;

interface Telling {
  name: string;
  /** Finds the distinguishing tokens, globally; the whole match is the token. */
  find: RegExp;
  /** Makes another token with another meaning; null if this one does not distinguish. */
  make: (old: string, random: Random) => string | null;
  /** The token may be inside otherwise volatile text. */
  anywhere?: true;
}

const anyOf = (list: readonly string[]): RegExp =>
  new RegExp(String.raw`(?<![\w'"\`=./@-])(?:${list.join('|')})(?![\w=/@-]|\.\w)`, 'gi');
const listed =
  (list: readonly string[]) =>
  (old: string, random: Random): string =>
    inCaseOf(old, other(random, list, old.toLowerCase()));

function inCaseOf(old: string, made: string): string {
  if (old === old.toUpperCase()) return made.toUpperCase();
  return /^[A-Z]/.test(old) ? made.charAt(0).toUpperCase() + made.slice(1) : made;
}

const exact = (list: readonly string[]): Pick<Telling, 'find' | 'make'> => ({
  find: new RegExp(String.raw`(?<!\w)(?:${list.join('|')})(?!\w)`, 'g'),
  make: (old, random) => other(random, list, old),
});

const TELLING: readonly Telling[] = [
  {
    name: 'HTTP status',
    find: /(?<=\b(?:[Ss]tatus(?: code)?|HTTP(?:\/[\d.]+)?|code|[Ee]rror(?: code)?|failed with)["'\\]{0,3}[:= (]{1,3}|(?:^|\\n|[>\]:!] )[([]?|\()[45]\d\d(?=[)\]]?(?:[:,"'\\}]| [A-Z(a-z{"]|$))/gm,
    make: (old, random) => String(other(random, STATUSES, Number(old))),
  },
  {
    name: 'exit code',
    find: /(?<=\b(?:exit(?:ed|s)?(?: with)?(?: (?:code|status))?|exit_code)["']?[:= ]{1,2})\d{1,3}\b/gi,
    make: (old, random) => other(random, ['1', '2', '3', '64', '101', '126', '127', '137', '139'], old),
    anywhere: true,
  },
  { name: 'errno', ...exact(ERRNOS), anywhere: true },
  { name: 'signal', ...exact(SIGNALS) },
  { name: 'type of the error', ...exact(ERROR_TYPES) },
  { name: 'gRPC code', ...exact(GRPC) },
  {
    name: 'JSON-RPC code',
    find: /(?<!\w)-32\d{3}\b/g,
    make: (old, random) => other(random, ['-32700', '-32600', '-32601', '-32602', '-32603', '-32000'], old),
    anywhere: true,
  },
  {
    name: 'code in JSON',
    find: /(?<=\\?"(?:code|type|reason|status|error)\\?"\s?:\s?\\?")[a-z]+(?:_[a-z]+)+(?=\\?")/g,
    make: (old, random) => other(random, CODES, old),
  },
  {
    name: 'per day or per minute',
    find: /\bper[ _-]?(?:day|minute)\b|Per(?:Day|Minute)(?=[A-Z"\\\s]|$)/gi,
    make: (old) =>
      old.replace(/day|minute/i, (unit) => inCaseOf(unit, unit.toLowerCase() === 'day' ? 'minute' : 'day')),
    anywhere: true,
  },
  {
    name: 'another bucket of wait',
    find: WAIT,
    make: (old, random) => {
      const bucket = bucketOf(secondsOf(old));
      const waits = /[a-z]/i.test(old) ? ['5s', '12m', '8h44m'] : ['5', '720', '31440'];
      return pick(
        random,
        waits.filter((wait) => bucketOf(secondsOf(wait)) !== bucket),
      );
    },
    anywhere: true,
  },
  {
    name: 'what is not',
    find: new RegExp(String.raw`(?<=\bnot )(?:${DENIALS.join('|')})(?!\w)`, 'gi'),
    make: listed(DENIALS),
  },
  {
    name: 'kind of what is missing',
    find: new RegExp(
      String.raw`(?<![\w'"=./@-])(?:${KINDS.join('|')})(?!\w)(?=.{0,80}not found|.{0,80}missing)|(?<=(?:[Cc]annot find|[Nn]o such|[Mm]issing) )(?:${KINDS.join('|')})(?!\w)`,
      'gi',
    ),
    make: listed(KINDS),
  },
  {
    name: 'telling word',
    find: anyOf(GROUPS.flat()),
    make: (old, random) => {
      const group = GROUPS.find((one) => one.includes(old.toLowerCase()));
      return group === undefined ? null : listed(group)(old, random);
    },
  },
  {
    name: 'verb or noun of the first sentence',
    find: /(?<![\w'"`=./@<-])(?<!\b(?:server|model|package|command|extension|tool|named|user|branch|host|provider|spawn|task|agent|plugin|module|file|project|region|plan)s?:? ["'`]?)[a-z]{5,14}(?![\w=/@'"`>-]|\.\w)/g,
    make: (old, random) => (CARRIERS.has(old) ? null : other(random, STRANGERS, old)),
  },
];

const SENTENCE = 'verb or noun of the first sentence';

export const TELLINGS: readonly Operator[] = TELLING.map((row) => ({
  name: row.name,
  change: (subject, random) => {
    const changed = withAnother(subject, row, random);
    return changed === null || changed === subject.text ? null : { text: changed };
  },
}));

/** Replaces one distinguishing token of the signed lines everywhere in the text. */
function withAnother(
  { text, signed, of }: Subject,
  { name, find, make, anywhere }: Telling,
  random: Random,
): string | null {
  if (of === 'nothing') return null;
  const head = signed.join('\n').slice(0, MAX_HEAD);
  const said = name === SENTENCE ? (/^[\s\S]*?(?:[.!?;](?=\s)|$)/.exec(head)?.[0] ?? head) : head;
  const found = [...new Set(tokensIn(said, find, anywhere).map(({ from, to }) => said.slice(from, to)))];
  const candidates = found.flatMap((old) => {
    const made = make(old, random);
    return made === null || made === old ? [] : [[old, made] as const];
  });
  if (candidates.length === 0) return null;
  const [old, made] = pick(random, candidates);
  const parts = tokensIn(text, find, anywhere).filter(({ from, to }) => text.slice(from, to) === old);
  return replaced(text, parts, () => made);
}

function tokensIn(text: string, find: RegExp, anywhere: true | undefined): { from: number; to: number }[] {
  const volatile = anywhere ? [] : tokensOf(text);
  return [...text.matchAll(find)]
    .map(({ 0: found, index }) => ({ from: index, to: index + found.length }))
    .filter(({ from, to }) => !volatile.some((token) => token.from < to && from < token.to));
}
