// Finds secrets by the name in front of them: `api_key=…`, `"password":"…"`, `?token=…`.

import { endOf } from '../signature/pattern.ts';

type Span = [from: number, to: number];

/** How strongly a name indicates a secret. */
type Strength = 'password' | 'key' | 'token' | 'weak' | 'none';

/** Reads from the last word of a name, such as `key`, to the value after it. */
export function findAssigned(text: string, at: number, floor: number): Span | null {
  const wordEnd = endOf(WORD, text, at);
  const from = wordEnd && endOf(SEPARATOR, text, wordEnd);
  if (!from) return null;
  const name = nameBefore(text, at, wordEnd, floor);
  const strength = strengthOf(name);
  if (strength === 'none') return null;
  const open = endOf(QUOTE, text, from);
  const start = open || from;
  const end = endOf(open ? QUOTED : BARE, text, start);
  if (!end || (!open && '(*$'.includes(text.charAt(end) || ' '))) return null;
  const value = text.slice(start, end);
  if (value.includes('[REDACTED:') || PLACEHOLDER.test(value) || OWN_SIGNATURE.test(value)) return null;
  const inUrl = !open && /[?&;]/.test(text.charAt(at - (name.length - (wordEnd - at)) - 1));
  return isSecret(value, strength, open > 0, inUrl) ? [start, end] : null;
}

const WORD = /(?:key|token|secret|password|passwd|passphrase|credentials?|pwd|signature)(?![A-Za-z])/iy;
const SEPARATOR = /(?:\\*["'])?\s{0,3}(?:=>|:=|[:=])\s{0,3}/y;
const QUOTE = /\\*["']/y;
const QUOTED = /[^\s"'\\]{4,}(?=\\*["'])/y;
// Reads parts between `=` and `:`, and only some of them: in `key=key=key=…`, each name would otherwise read to the end.
const BARE = /[^\s"'`\\,;&<>(){}[\]|*$=:]+(?:[=:][^\s"'`\\,;&<>(){}[\]|*$=:]+){0,8}={0,2}/y;

/** Returns the whole name, including the letters before `at` that belong to it. */
function nameBefore(text: string, at: number, wordEnd: number, floor: number): string {
  let from = at;
  while (from > floor && from > at - 40 && /[\w.-]/.test(text.charAt(from - 1))) from -= 1;
  return text.slice(from, wordEnd);
}

function strengthOf(name: string): Strength {
  const flat = name.toLowerCase().replace(/[^a-z]/g, '');
  if (HARMLESS.test(flat)) return 'none';
  if (/(?:password|passwd|passphrase|pwd|secret)$/.test(flat)) return 'password';
  if (STRONG.test(flat) || /^[A-Z0-9]+_(?:[A-Z0-9]+_)*(?:KEY|TOKEN|CREDENTIALS?)$/.test(name)) return 'key';
  return flat === 'token' ? 'token' : 'weak';
}

function isSecret(value: string, strength: Strength, quoted: boolean, inUrl: boolean): boolean {
  const digit = /\d/.test(value);
  const letter = /[A-Za-z]/.test(value);
  if (inUrl) return strength === 'weak' || strength === 'token' ? value.length >= 6 && digit : value.length >= 4;
  // An identifier, a member access or a path in a program is not a secret.
  if (!quoted && (!digit || /^[A-Za-z_][\w-]*(?:\.[A-Za-z_]\w*)+$/.test(value) || value.startsWith('/'))) return false;
  if (strength === 'password') return value.length >= 6 && !ORDINARY.test(value);
  if (strength === 'key')
    return value.length >= 8 && (digit || (value.length >= 16 && /[A-Z]/.test(value) && /[a-z]/.test(value)));
  if (strength === 'token') return letter && /\d.*\d/.test(value) && value.length >= 10 && !COMMIT_OR_UUID.test(value);
  return digit && letter && value.length >= (quoted ? 12 : 20) && !KNOWN_SHAPE.test(value) && isMixed(value);
}

/** A weak name requires a value that is hardly a phrase: no part of it is a word of letters only. */
const isMixed = (value: string): boolean =>
  !value.split(/[^A-Za-z0-9]+/).some((part) => /^[A-Za-z]{3,}$/.test(part)) && /\d\D+\d/.test(value);

const STRONG =
  /(?:api|access|auth|account|admin|bearer|bot|client|deploy|encryption|github|gitlab|id|master|npm|oauth|personal|private|refresh|service|session|signing|storage|subscription|user|webhook)(?:key|token)$|apitoken$|credentials?$|signature$/;
const HARMLESS =
  /(?:public|cache|sort|primary|foreign|partition|idempotency|object|hot|row|column|page|next|continuation|csrfheader|i18n|shortcut|map|registry|dict|unexpected|invalid|stop|eos|bos|pad|unk|function|method|type)(?:key|token|signature)$/;
const PLACEHOLDER = /^(?:\$|%|<|\{|\.{3}|process\.|os\.|env\.|(.)\1*$|x{4,}|your[_-])/i;
/** The signature of a failure, whole or shortened: a public hash that reports print as `Signature: v1:…`. */
const OWN_SIGNATURE = /^v1:[0-9a-f]{12,64}$/;
const ORDINARY =
  /^(?:string|number|boolean|object|password|required|optional|undefined|secret|example|changeme|hidden|masked)$/i;
const COMMIT_OR_UUID = /^(?:[0-9a-f]{40}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
const KNOWN_SHAPE = /^(?:[0-9a-f]{7,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
