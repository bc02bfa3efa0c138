// Lists the secrets that are recognised by their shape, with examples and with look-alikes that must remain.

import { KEY_FORMATS } from '../signature/key-formats.ts';
import {
  findAssigned,
  findBasic,
  findBearer,
  findCookie,
  findHeader,
  findPrivateKey,
  findShaped,
  findUrlPassword,
} from './secret-shapes.ts';

export interface SecretKind {
  /** The text in the placeholder. */
  kind: string;
  /** Texts with which one may begin: at least three characters, and ASCII. */
  prefixes: readonly string[];
  /** Whether it is also searched for in base64. This needs a distinctive shape, and not a word in front of the secret. */
  inBase64?: true;
  /** The offsets of the secret with its prefix at `at`, or null. Ignores text before `floor`, the last hit's end. */
  find: (text: string, at: number, floor: number) => [from: number, to: number] | null;
  examples: readonly string[];
  harmless: readonly string[];
}

const A = 'aBcD1234eFgH5678iJkL9012mNoP3456qRsT';

/** The beginnings in base64 of DER for RSA, EC and Ed25519 keys, or of an OpenSSH key; line ends may be escaped. */
const KEY_BODY =
  /(?:MII[A-Za-z0-9+/]{3}IBA(?:DANBgkqhkiG9w0BAQEFAASC|AK[BC])|MIG[A-Za-z0-9+/]{1,3}AgE(?:AM|BBD)|MHcCAQEE|MC4CAQAwBQYDK2V[uw]BCIE|b3BlbnNzaC1rZXktdjEA)[A-Za-z0-9+/]{24,}={0,2}(?:(?:\\+r)?\\+n[A-Za-z0-9+/]{16,}={0,2}){0,200}/y;

// More specific first: if two kinds share a prefix, the first that finds something decides.
export const SECRET_KINDS: readonly SecretKind[] = [
  {
    kind: 'jwt',
    inBase64: true,
    prefixes: ['eyJ'],
    find: findShaped(/eyJ[\w-]{6,}\.[\w-]{4,}(?:\.[\w-]*){0,3}/y),
    examples: [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${A}`],
    harmless: ['eyJhbGciOiJIUzI1NiJ9', 'keyJoin.first.second'],
  },
  // Keys with their own prefix.
  ...KEY_FORMATS.map(({ shape, heads: _, ...format }) => ({
    ...format,
    inBase64: true as const,
    find: findShaped(new RegExp(`(?:${shape.source})`, 'y')),
  })),
  {
    kind: 'private_key',
    inBase64: true,
    prefixes: ['-----BEGIN '],
    find: findPrivateKey,
    examples: [
      `-----BEGIN RSA PRIVATE KEY-----\n${A}${A}\nabc=\n-----END RSA PRIVATE KEY-----`,
      `-----BEGIN PRIVATE KEY-----\\n${A}${A}\\n-----END PRIVATE KEY-----\\n`,
    ],
    harmless: ['-----BEGIN CERTIFICATE-----', '-----BEGIN PUBLIC KEY-----'],
  },
  {
    kind: 'private_key_body',
    prefixes: ['MII', 'MIG', 'MHcCAQEE', 'MC4CAQAwBQYDK2V', 'b3BlbnNzaC1rZXktdjEA'],
    find: findShaped(KEY_BODY),
    examples: [
      `MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSk${A}${A}`,
      `MIIEpAIBAAKCAQEA${A}${A}\\n${A}==`,
      `MC4CAQAwBQYDK2VwBCIEI${A}${A}`,
    ],
    harmless: [
      `MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa${A}`,
      'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo',
      'MIGRATION',
    ],
  },
  {
    kind: 'url_password',
    inBase64: true,
    prefixes: ['://'],
    find: findUrlPassword,
    examples: ['postgres://jo:hunter2@db:5432/x', 'redis://:pa55@h', `https://${A}@example.com`],
    harmless: ['http://127.0.0.1:8080/a@b', 'ssh://git@example.com', 'https://example.com/?q=a:b@c'],
  },
  {
    kind: 'bearer',
    inBase64: true,
    prefixes: ['Bearer ', 'bearer ', 'BEARER '],
    find: findBearer,
    examples: ['Bearer abc123def456', `Bearer ${A}`],
    harmless: ['Bearer authentication', 'bearer token required', 'Bearer credentials are missing'],
  },
  {
    kind: 'basic',
    prefixes: ['Basic ', 'basic '],
    find: findBasic,
    examples: ['Basic dXNlcjpwYXNz'],
    harmless: ['Basic authentication', 'basic understanding', 'Basic JavaScript'],
  },
  {
    kind: 'header',
    inBase64: true,
    prefixes: ['Authorization', 'authorization', 'AUTHORIZATION'],
    find: findHeader,
    examples: ['Authorization: token a1b2c3d4e5', '"authorization":"ApiKey a1b2c3d4e5"'],
    harmless: ['Authorization: required', 'authorization failed: 401'],
  },
  {
    kind: 'cookie',
    prefixes: ['Cookie', 'cookie'],
    find: findCookie,
    examples: ['Set-Cookie: sid=a1b2c3d4; Path=/', '"cookie":"sid=a1b2c3d4"'],
    harmless: ['cookie: yes', 'login cookie or other valid credential'],
  },
  {
    kind: 'value',
    prefixes: spelled(
      'key',
      'token',
      'secret',
      'password',
      'passwd',
      'passphrase',
      'credential',
      'credentials',
      'pwd',
      'signature',
    ),
    find: findAssigned,
    examples: [
      '?key=abcd1234&x=1',
      '"api_key":"abcdEFGH1234"',
      '{\\"access_token\\":\\"abcdEFGH1234\\"}',
      'OPENAI_API_KEY=abcd1234efgh',
      'password: hunter2x',
      '"password":"correcthorse"',
      '"token":"abc123def456"',
      "client_secret = 'x9y8z7w6'",
      '&X-Amz-Signature=abcdef0123456789',
    ],
    harmless: [
      'token',
      'the key: value pairs',
      'max_tokens: 1024',
      '"token_count":12345678',
      'tokens used: 18',
      'password: string',
      'const token = getToken()',
      'apiKey: process.env.API_KEY2',
      '"key":"cache-entry-7"',
      'token: 123e4567-e89b-12d3-a456-426614174000',
      '"key":"0123456789abcdef0123456789abcdef01234567"',
      'API_KEY=$OTHER_KEY1',
      '"password":null',
      'Unexpected token: punctuation',
      '"page_token":"abc123def456"',
    ],
  },
];

function spelled(...words: string[]): string[] {
  return words.flatMap((word) => [word, word.toUpperCase(), word.charAt(0).toUpperCase() + word.slice(1)]);
}
