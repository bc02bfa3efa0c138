import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRedactor } from '../../../policies/redact/create-redactor.ts';
import { SECRET_KINDS } from '../../../policies/redact/secret-kinds.ts';

const plain = createRedactor({ env: {}, patterns: [] });
const withEnv = (env: Record<string, string>) => createRedactor({ env, patterns: [] });

for (const { kind, examples, harmless } of SECRET_KINDS) {
  test(`finds each example of ${kind}, alone, in a sentence and escaped in JSON`, () => {
    for (const example of examples) {
      for (const text of [example, `see ${example} there`, JSON.stringify({ log: `x\n${example}\ny` })]) {
        const redacted = plain.redact(text);
        assert.ok(redacted.includes(`[REDACTED:${kind}]`), `${text} became ${redacted}`);
        assert.is(plain.redact(redacted), redacted);
      }
    }
  });
  test(`leaves what only looks like ${kind}`, () => {
    for (const text of harmless) assert.is(plain.redact(`see ${text} there`), `see ${text} there`);
  });
}

test('replaces the secret and nothing around it', () => {
  const rows: [text: string, redacted: string][] = [
    [
      'push to https://jo:hunter2@example.com/x failed',
      'push to https://jo:[REDACTED:url_password]@example.com/x failed',
    ],
    ['GET /v1?key=abcd1234&page=2', 'GET /v1?key=[REDACTED:value]&page=2'],
    ['{"api_key":"abcdEFGH1234","n":1}', '{"api_key":"[REDACTED:value]","n":1}'],
    ['Authorization: Bearer abc123def456, Accept: x', 'Authorization: Bearer [REDACTED:header], Accept: x'],
    ['key -----BEGIN PRIVATE KEY-----\nabc=\n-----END PRIVATE KEY----- end', 'key [REDACTED:private_key] end'],
    ['OPENAI_API_KEY=sk-aBcD1234eFgH5678iJkL', 'OPENAI_API_KEY=[REDACTED:value]'],
  ];
  for (const [text, redacted] of rows) assert.is(plain.redact(text), redacted);
});

const LINES = [
  '-----BEGIN PRIVATE KEY-----',
  ...Array.from({ length: 6 }, (_, i) => `aBcD1234+FgH/678${i}`.repeat(4).slice(0, 64)),
  'abc=',
  '-----END PRIVATE KEY-----',
];
const SHOWN: [by: string, text: string][] = [
  ['cat -n', LINES.map((line, i) => `${String(i + 1).padStart(6)}\t${line}`).join('\n')],
  ['grep -n', LINES.map((line, i) => `keys/id_rsa:${i + 1}:${line}`).join('\n')],
  ['a diff that takes it out', LINES.map((line) => `-${line}`).join('\n')],
  ['a diff with colours', LINES.map((line) => `\x1b[32m+\x1b[0m${line}`).join('\n')],
  ['a quotation', LINES.map((line) => `> ${line}`).join('\n')],
  ['an excerpt put together from its lines', LINES.map((line, i) => `${i + 1}\t${line}`).join(' ')],
  ['a frame', LINES.map((line) => `│ ${line} │`).join('\n')],
  ['a program', LINES.map((line) => `  "${line}\\n" +`).join('\n')],
  ['JSON', JSON.stringify(LINES, null, 2)],
  ['a tool in JSON', JSON.stringify({ output: LINES.map((line, i) => `${i + 1}. ${line}`).join('\n') })],
];
for (const [by, text] of SHOWN)
  test(`finds the whole private key as ${by} shows it`, () => {
    const redacted = plain.redact(`before\n${text}\nafter`);
    assert.equal(
      LINES.filter((line) => redacted.includes(line)),
      [],
    );
    assert.match(redacted, /^before\n.*\[REDACTED:private_key\].*\nafter$/s);
  });

for (const [by, text] of SHOWN)
  test(`finds a private key as ${by} shows it, of which the end was cut off`, () => {
    for (const at of [5, 5.5]) {
      const cut = text.slice(0, text.indexOf(LINES[5]!) + (at - 4) * LINES[5]!.length);
      const redacted = plain.redact(`${cut}…`);
      assert.equal(
        LINES.slice(1).filter((line) => redacted.includes(line.slice(0, 24))),
        [],
        redacted,
      );
    }
  });

test('leaves the lines of a program that knows the marks of a private key', () => {
  const between = `';\nconst body = encode(der).match(/.{1,64}/g).join(lineEndOf(platform));\nconst close = '`;
  const program = `const open = '${LINES[0]}${between}${LINES.at(-1)}';`;
  assert.ok(plain.redact(program).includes(between));
});

test('leaves ordinary text as the very same string', () => {
  for (const text of [
    'commit 0123456789abcdef0123456789abcdef01234567 of 123e4567-e89b-12d3-a456-426614174000',
    'The token count of the secret key is ordinary: no password here.',
    'const key = keys[0]; const token: Token = next(); if (password === undefined) throw new Error("secret")',
    'http://127.0.0.1:18080/v1/responses sha256-9f86d081884c7d659a2feaa0c55ad015',
  ])
    assert.is(plain.redact(text), text);
});

test('takes out the values of secret variables wherever they occur, in each form', () => {
  const { redact } = withEnv({
    MY_SECRET: 'a"b\\c d',
    DEPLOY_KEY: 'line-one-of-key\nline-two-of-key',
    PATH: '/usr/bin:/bin',
  });
  assert.is(redact('<a"b\\c d>'), '<[REDACTED:MY_SECRET]>');
  assert.is(redact(JSON.stringify({ a: 'xa"b\\c dx' })), '{"a":"x[REDACTED:MY_SECRET]x"}');
  assert.is(redact(JSON.stringify({ a: JSON.stringify('a"b\\c d') })), '{"a":"\\"[REDACTED:MY_SECRET]\\""}');
  assert.is(redact('?q=a%22b%5Cc%20d'), '?q=[REDACTED:MY_SECRET]');
  assert.is(redact('found line-two-of-key'), 'found [REDACTED:DEPLOY_KEY]');
  assert.is(redact('in /usr/bin:/bin'), 'in /usr/bin:/bin');
});

test('tells secret variables from settings that are only named alike', () => {
  const rows: [name: string, value: string, secret: boolean][] = [
    ['GITHUB_TOKEN', 'abcdef', true],
    ['github_token', 'abcdef', true],
    ['GITHUB_TOKEN', 'abcde', false],
    ['DB_PASSWORD', '123456', true],
    ['MY_CREDENTIAL', 'swordfish', true],
    ['APIKEY', '/abc+def/ghi==', true],
    ['MAX_OUTPUT_TOKENS', '128000', false],
    ['TOKENIZERS_PARALLELISM', 'parallel', false],
    ['KEYBOARD_LAYOUT', 'dvorak', false],
    ['SSH_KEY_PATH', '/home/jo/.ssh/id', false],
    ['GOOGLE_APPLICATION_CREDENTIALS', '/home/jo/key.json', false],
    ['USE_TOKEN', 'enabled', false],
    ['EDITOR', 'emacs-nox', false],
    ['DB_PASS', 'swordfish', true],
    ['MYSQL_PWD', 'swordfish', true],
    ['AZURE_DEVOPS_EXT_PAT', 'abcdefgh', true],
    ['npm_config__auth', 'bnBtOmF1dGg1', true],
    ['PWD', 'swordfish', false],
    ['OLD_PWD', '/home/jo', false],
    ['HOST_AUTH', 'scram-sha', false],
    ['MPAT', 'abcdefgh', false],
  ];
  for (const [name, value, secret] of rows) {
    const expected = secret ? `<[REDACTED:${name}]>` : `<${value}>`;
    assert.is(withEnv({ [name]: value }).redact(`<${value}>`), expected, `${name}=${value}`);
  }
});

test('takes out the password of a URL that a variable holds, wherever it occurs', () => {
  const rows: [url: string, text: string, redacted: string][] = [
    ['http://jo:hunter22@proxy:3128', 'sent hunter22', 'sent [REDACTED:U]'],
    ['postgres://jo:p%40ss%2Fword1@db/x', 'p@ss/word1', '[REDACTED:U]'],
    ['https://ghtoken1234567890abcdefg@github.com/x', 'ghtoken1234567890abcdefg', '[REDACTED:U]'],
    ['postgres://postgres:postgres@db/x', 'postgres is down', 'postgres is down'],
    ['postgres://jo:secret@db/x', 'a secret ballot', 'a secret ballot'],
    ['http://jo@proxy:3128/a:b@c', 'a:b@c', 'a:b@c'],
  ];
  for (const [url, text, redacted] of rows) assert.is(withEnv({ U: url }).redact(text), redacted, url);
});

test('takes out what a secret becomes in base64, at each place where it may begin', () => {
  const secret = 'plain~value?of>a key';
  const { redact } = withEnv({ A_KEY: secret });
  for (const before of ['', 'a', 'ab', 'abc'])
    for (const behind of ['', '\n', ' and more'])
      for (const encoding of ['base64', 'base64url'] as const) {
        const text = Buffer.from(before + secret + behind).toString(encoding);
        const redacted = redact(text);
        assert.match(redacted, '[REDACTED:A_KEY]', `${before}|${behind}`);
        const rest = redacted.split('[REDACTED:A_KEY]').join('');
        assert.ok(
          rest.length <= Buffer.from(before + behind).toString('base64').length + 4,
          `${text} became ${redacted}`,
        );
      }
});

test('prefers the longer of two secrets, and finds one that is not ASCII', () => {
  const { redact } = withEnv({ A_TOKEN: 'sesame', B_TOKEN: 'sesame-open', C_TOKEN: 'пароль' });
  assert.is(redact('sesame-open sesame пароль'), '[REDACTED:B_TOKEN] [REDACTED:A_TOKEN] [REDACTED:C_TOKEN]');
});

test("applies the user's own patterns, and never inside a placeholder", () => {
  const { redact } = createRedactor({ env: { A_TOKEN: 'sesame' }, patterns: ['(CUST)-\\d+\\b', 'E|x*'] });
  assert.is(redact('CUST-12 sesame E'), '[REDACTED:pattern] [REDACTED:A_TOKEN] [REDACTED:pattern]');
});

test('names a pattern that is not a regular expression', () => {
  assert.throws(
    () => createRedactor({ env: {}, patterns: ['ok', '(['] }),
    (error: Error) =>
      error instanceof SyntaxError && error.message === 'redaction pattern 2 is not a regular expression: ([',
  );
});

test('keeps JSON and JSONL valid where the secret stands outside a string', () => {
  const { redact } = createRedactor({
    env: { PIN_SECRET: '123456', DOC_SECRET: '{"a":"bcdef"}' },
    patterns: ['"k":true'],
  });
  const rows: [text: string, redacted: string][] = [
    ['{"n":123456}\n{"n":1}\n', '{"n":"[REDACTED:PIN_SECRET]"}\n{"n":1}\n'],
    [
      '{"n":[123456,"123456"],"s":"pin 123456"}',
      '{"n":["[REDACTED:PIN_SECRET]","[REDACTED:PIN_SECRET]"],"s":"pin [REDACTED:PIN_SECRET]"}',
    ],
    ['{"password":9876543}', '{"password":"[REDACTED:value]"}'],
    ['{\n  "n": 123456\n}', '{\n  "n": "[REDACTED:PIN_SECRET]"\n}'],
    ['{"d":{"a":"bcdef"}}', '{"d":{"a":"bcdef"}}'],
    [
      'pin 123456\n{"n":123456}\npin 123456',
      'pin [REDACTED:PIN_SECRET]\n{"n":"[REDACTED:PIN_SECRET]"}\npin [REDACTED:PIN_SECRET]',
    ],
  ];
  for (const [text, redacted] of rows) assert.is(redact(text), redacted);
});

const secrets = fc.constantFrom(
  ...SECRET_KINDS.flatMap(({ examples, harmless }) => [...examples, ...harmless]),
  'sesame',
  'a"b\\c',
  '[REDACTED:x]',
  '\n',
  ' ',
  '"',
  '=',
  'key',
);
const texts = fc
  .array(fc.oneof(secrets, fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 8 })
  .map((parts) => parts.join(''));
const redactors = [
  plain,
  createRedactor({ env: { A_TOKEN: 'sesame', B_SECRET: 'a"b\\c', C_KEY: '123456' }, patterns: ['\\bkey\\b', 'a+b'] }),
];

test('is idempotent on any text', () => {
  for (const { redact } of redactors) {
    fc.assert(
      fc.property(texts, (text) => redact(redact(text)) === redact(text)),
      { numRuns: 2000 },
    );
  }
});

test('leaves any JSON line valid', () => {
  const values = fc.oneof(texts, fc.constant(123456), fc.jsonValue());
  const lines = fc.dictionary(fc.oneof(fc.constantFrom('password', 'api_key', 'token', 'n'), texts), values);
  for (const { redact } of redactors) {
    fc.assert(
      fc.property(fc.array(lines, { minLength: 1, maxLength: 3 }), (objects) => {
        const text = objects.map((object) => JSON.stringify(object)).join('\n');
        const redacted = redact(text).split('\n');
        assert.is(redacted.length, objects.length);
        for (const line of redacted) JSON.parse(line);
      }),
      { numRuns: 1000 },
    );
  }
});

test('what the headers of an exporter hold is a secret, with and without the word before it', () => {
  const env = { OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'authorization=Bearer%20plain-words,x-team=ops' };
  const { redact } = createRedactor({ env, patterns: [] });
  const placeholder = '[REDACTED:OTEL_EXPORTER_OTLP_TRACES_HEADERS]';
  assert.is(
    redact('Bearer plain-words, plain-words, Bearer%20plain-words of ops'),
    `${placeholder}, ${placeholder}, ${placeholder} of ops`,
  );
});

test('a text of nothing but what was redacted already is passed over', () => {
  const text = '[REDACTED:api_key] '.repeat(50_000);
  assert.is(createRedactor({ env: {}, patterns: [] }).redact(text), text);
});

test('values beyond ASCII, and values in percent signs of either case', () => {
  const { redact } = withEnv({ A_TOKEN: 'zürich-1234', B_TOKEN: 'pass/wörd+1234' });
  const inPercents = encodeURIComponent('pass/wörd+1234');
  for (const [text, kind] of [
    ['zürich-1234', 'A_TOKEN'],
    [inPercents, 'B_TOKEN'],
    [inPercents.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase()), 'B_TOKEN'],
    [Buffer.from('pass/wörd+1234').toString('hex').replace(/../g, '%$&'), 'B_TOKEN'],
    [Buffer.from('pass/wörd+1234').toString('hex').toUpperCase().replace(/../g, '%$&'), 'B_TOKEN'],
  ])
    assert.is(redact(`it is ${text} there`), `it is [REDACTED:${kind}] there`);
});

test.run();
