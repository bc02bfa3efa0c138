// Defines volatile tokens that identify one thing among many: ids, hashes, secrets, processes.

import { DIGITS, HEX, LETTERS, MIXED, pick, type Random, signs, whole } from '../../random.ts';
import type { TokenKind } from '../operator.ts';

const uuid = (random: Random): string =>
  `${signs(random, 8, HEX)}-${signs(random, 4, HEX)}-${pick(random, ['4', '7'])}${signs(random, 3, HEX)}-a${signs(random, 3, HEX)}-${signs(random, 12, HEX)}`;

/** Keeps the shape: a letter for a letter, a digit for a digit. */
const alike = (old: string, random: Random): string =>
  old
    .replace(/\d/g, () => signs(random, 1, DIGITS))
    .replace(/[a-z]/g, () => signs(random, 1, LETTERS))
    .replace(/[A-Z]/g, () => signs(random, 1, LETTERS.toUpperCase()));

const hexAlike = (old: string, random: Random): string => {
  const hex = old.replace(/[\da-f]/gi, () => signs(random, 1, HEX));
  return /[A-F]/.test(old) ? hex.toUpperCase() : hex;
};

export const SECRETS: readonly TokenKind[] = [
  {
    name: 'JWT',
    find: /\beyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*/g,
    make: (_old, random) => `eyJ${signs(random, 20, MIXED)}.eyJ${signs(random, 40, MIXED)}.${signs(random, 30, MIXED)}`,
    planted: [' (token *)', ', authorization: Bearer *'],
  },
  {
    name: 'API key',
    find: /\b(?:sk-(?:proj-|ant-|or-|svcacct-)?|AIza|gh[opsur]_|github_pat_|ya29\.|xox[bp]-|hf_|gsk_)[\w*.-]{4,}/g,
    make: (old, random) => {
      const head =
        /^(?:sk-(?:proj-|ant-|or-|svcacct-)?|AIza|gh[opsur]_|github_pat_|ya29\.|xox[bp]-|hf_|gsk_)/.exec(old)?.[0] ??
        pick(random, ['sk-proj-', 'AIza', 'ghp_', 'github_pat_']);
      const rest = old === '' ? 'a'.repeat(36) : old.slice(head.length);
      return `${head}${rest.replace(/[a-z\d]/gi, () => signs(random, 1, MIXED))}`;
    },
    planted: [': *', ' (key *)'],
  },
  {
    name: 'bearer',
    find: /(?<=\bBearer )(?=[\w.~+/=-]*\d)[\w.~+/=-]{12,}/g,
    make: (_old, random) => signs(random, 32, MIXED),
    planted: [' (authorization: Bearer *)'],
  },
];

export const IDS: readonly TokenKind[] = [
  {
    name: 'trace parent',
    find: /\b00-[\da-f]{32}-[\da-f]{16}-0[01]\b/g,
    make: (_old, random) => `00-${signs(random, 32, HEX)}-${signs(random, 16, HEX)}-01`,
    planted: [' traceparent: *', ' (trace *)'],
  },
  {
    name: 'UUID',
    find: /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi,
    make: (old, random) => (/[A-F]/.test(old) ? uuid(random).toUpperCase() : uuid(random)),
    planted: [' (request id: *)', ', session *', ' thread_id=*'],
  },
  {
    name: 'prefixed id',
    find: /\b(?:req|call|toolu|msg|resp|chatcmpl|item|evt|run|fc|rs|batch|file|org|proj|user|acct|cus|sess|conv|ws|thread)[_-](?=[A-Za-z\d]*\d)[A-Za-z\d]{6,}\b/g,
    make: (old, random) => {
      const head = /^[a-z]+[_-]/.exec(old)?.[0] ?? pick(random, ['req_', 'call_', 'msg_', 'resp_']);
      return `${head}${signs(random, Math.max(12, old.length - head.length) - 1, MIXED)}${signs(random, 1, DIGITS)}`;
    },
    planted: [' (request ID *)', ', request_id: "*"', ' for *'],
  },
  {
    name: 'labelled id',
    find: /(?<=\b(?:request|trace|span|session|correlation|conversation|thread|operation|activity|client)[ _-]?(?:id|ID|Id)["'\\]{0,3}[:= ]{1,2}["'\\]{0,3})(?=[\w-]*\d)[\w-]{6,}/gi,
    make: (old, random) => (old === '' ? `${signs(random, 20, MIXED)}7` : alike(old, random)),
    planted: [' (Request ID: *)', ' {"trace_id":"*"}', ' x-request-id: *', ' session_id=*'],
  },
  {
    name: 'id in five groups',
    find: /\b[\dA-F]{4}:[\dA-F]{4,6}:[\dA-F]{4,8}:[\dA-F]{4,8}:[\dA-F]{8}\b/g,
    make: (_old, random) => [4, 6, 7, 7, 8].map((length) => signs(random, length, HEX.toUpperCase())).join(':'),
    planted: [' (Request ID: *)', ' (*)'],
  },
  {
    name: 'ray id',
    find: /\b[\da-f]{16}-[A-Z]{3}\b/g,
    make: (_old, random) => `${signs(random, 15, HEX)}7-${pick(random, ['FRA', 'IAD', 'NRT', 'LHR'])}`,
    planted: [', cf-ray: *', ' Cloudflare Ray ID: *'],
  },
  {
    name: 'ULID',
    find: /\b01[\dA-HJKMNP-TV-Z]{24}\b/g,
    make: (_old, random) => `01${signs(random, 24, '0123456789ABCDEFGHJKMNPQRSTVWXYZ')}`,
    planted: [' (event *)'],
  },
  {
    name: 'hash',
    find: /\b(?=[\da-f]*\d)(?=[\da-f]*[a-f])(?:[\da-f]{64}|[\da-f]{40}|[\da-f]{32}|[\da-f]{16}|[\da-f]{12}|[\da-f]{7,10})\b/gi,
    make: (old, random) => (old === '' ? `${signs(random, 38, HEX)}7f` : hexAlike(old, random)),
    planted: [' (commit *)', ' sha256:*', ' fingerprint *'],
  },
  {
    name: 'address in memory',
    find: /\b0x[\da-f]{5,16}\b/gi,
    make: (_old, random) => `0x${signs(random, 12, HEX)}`,
    planted: [' (at *)', ' [*]'],
  },
  {
    name: 'hash in the name of a bundle',
    find: /(?<=\bchunk-)[A-Z\d]{8}(?=\.js)/g,
    make: (_old, random) => signs(random, 8, `${LETTERS.toUpperCase()}${DIGITS}`),
    planted: [' (in chunk-*.js)', ' at chunk-*.js:12:5'],
  },
  {
    name: 'process id',
    find: /(?<=\((?:node|python|codex):|\b(?:pid|PID|Pid|PGID|process|Process|tid)["']?[:= #]{1,2})\d{2,7}\b/g,
    make: (_old, random) => String(whole(random, 300, 4_194_303)),
    planted: [' (pid *)', ' [pid: *]', ' in process *', ' pid=*'],
  },
  {
    name: 'thread or worker',
    find: /(?<=\b(?:ThreadId\(|[Tt]hread[ #]|[Ww]orker[ #]))\d+/g,
    make: (_old, random) => String(whole(random, 1, 64)),
    planted: [' (thread ThreadId(*))', ' on worker *'],
  },
];
