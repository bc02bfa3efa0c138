// Defines operators that change one distinguishing word or figure: another failure, and so another signature.

import { other, pick, type Random } from '../random.ts';
import type { Operator } from './operator.ts';
import type { Subject } from './subject.ts';
import * as words from './telling-words.ts';
import { bucketOf, secondsOf, WAIT } from './tokens/amounts.ts';
import { replaced, tokensOf } from './tokens.ts';

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
    make: (old, random) => String(other(random, words.STATUSES, Number(old))),
  },
  {
    name: 'exit code',
    find: /(?<=\b(?:exit(?:ed|s)?(?: with)?(?: (?:code|status))?|exit_code)["']?[:= ]{1,2})\d{1,3}\b/gi,
    make: (old, random) => other(random, ['1', '2', '3', '64', '101', '126', '127', '137', '139'], old),
    anywhere: true,
  },
  { name: 'errno', ...exact(words.ERRNOS), anywhere: true },
  { name: 'signal', ...exact(words.SIGNALS) },
  { name: 'type of the error', ...exact(words.ERROR_TYPES) },
  { name: 'gRPC code', ...exact(words.GRPC) },
  {
    name: 'JSON-RPC code',
    find: /(?<!\w)-32\d{3}\b/g,
    make: (old, random) => other(random, ['-32700', '-32600', '-32601', '-32602', '-32603', '-32000'], old),
    anywhere: true,
  },
  {
    name: 'code in JSON',
    find: /(?<=\\?"(?:code|type|reason|status|error)\\?"\s?:\s?\\?")[a-z]+(?:_[a-z]+)+(?=\\?")/g,
    make: (old, random) => other(random, words.CODES, old),
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
    find: new RegExp(String.raw`(?<=\bnot )(?:${words.DENIALS.join('|')})(?!\w)`, 'gi'),
    make: listed(words.DENIALS),
  },
  {
    name: 'kind of what is missing',
    find: new RegExp(
      String.raw`(?<![\w'"=./@-])(?:${words.KINDS.join('|')})(?!\w)(?=.{0,80}not found|.{0,80}missing)|(?<=(?:[Cc]annot find|[Nn]o such|[Mm]issing) )(?:${words.KINDS.join('|')})(?!\w)`,
      'gi',
    ),
    make: listed(words.KINDS),
  },
  {
    name: 'telling word',
    find: anyOf(words.GROUPS.flat()),
    make: (old, random) => {
      const group = words.GROUPS.find((one) => one.includes(old.toLowerCase()));
      return group === undefined ? null : listed(group)(old, random);
    },
  },
  {
    name: 'verb or noun of the first sentence',
    find: /(?<![\w'"`=./@<-])(?<!\b(?:server|model|package|command|extension|tool|named|user|branch|host|provider|spawn|task|agent|plugin|module|file|project|region|plan)s?:? ["'`]?)[a-z]{5,14}(?![\w=/@'"`>-]|\.\w)/g,
    make: (old, random) => (words.CARRIERS.has(old) ? null : other(random, words.STRANGERS, old)),
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
