// tollgate signature explains itself: which words, which lines, and where two texts part; and shows no secret.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TestRig } from '../../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('signature');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: [] });
});
test.after.each(({ rig }) => rig.dispose());

const STDERR = `Loaded cached credentials.
Attempt 1 failed with status 500. Retrying with backoff...
    at Turn.run (file:///x/chunk-JDPZ4CE3.js:267833:24)
2026-11-21T20:16:49Z Error: unexpected status 401 Unauthorized: key sk-fake-abcdefgh for http://127.0.0.1:8080/v1
Error: unexpected status 401 Unauthorized: key sk-fake-ijklmnop for http://127.0.0.1:8081/v1
`;

test('--explain says what each class took, and what became of each line', async ({ rig }) => {
  rig.write('err', STDERR);
  const { code, stdout } = await rig.run('tollgate', ['signature', 'err', '--explain']);
  assert.is(code, 0);
  const signature = (await rig.run('tollgate', ['signature', 'err'])).stdout.trimEnd();
  assert.is(
    stdout,
    `${signature}

hashed text (from stderr):
unexpected status <code:401> unauthorized key for

made from these lines:
  Error: unexpected status 401 Unauthorized: key <secret> for http://127.0.0.1:8080/v1

replaced in them:
  class   times  by          original text
  secret  1      –           <secret>
  url     1      –           http://127.0.0.1:8080/v1
  code    1      <code:401>  401
  level   1      –           Error

all lines:
  what it is             times  the first
  notice of gemini       1      Loaded cached credentials.
  retry                  1      Attempt 1 failed with status 500. Retrying with backoff...
  stack frame            1      at Turn.run (file:///x/chunk-JDPZ4CE3.js:267833:24)
  an error               1      Error: unexpected status 401 Unauthorized: key <secret> for http://127.0.0.1:8080/v1
  an error, said before  1      Error: unexpected status 401 Unauthorized: key <secret> for http://127.0.0.1:8081/v1
`,
  );
});

test('--explain --json says the same to programs', async ({ rig }) => {
  rig.write('err', STDERR);
  const { stdout } = await rig.run('tollgate', ['signature', 'err', '--explain', '--json']);
  const { signature, normalised, source, lines, eaten, fates } = JSON.parse(stdout);
  assert.match(signature, /^v1:[0-9a-f]{64}$/);
  assert.equal([normalised, source], ['unexpected status <code:401> unauthorized key for', 'stderr']);
  assert.is(lines.length, 1);
  assert.equal(eaten[2], { class: 'code', count: 1, put: ['<code:401>'], pieces: ['401'] });
  assert.equal(fates[0], { fate: 'notice of gemini', count: 1, example: 'Loaded cached credentials.' });
  assert.not.match(stdout, 'sk-fake');
});

test('--compare: the same signature', async ({ rig }) => {
  rig.write('one', STDERR);
  rig.write('other', STDERR.replaceAll('127.0.0.1', 'api.example.com').replace('20:16', '03:04'));
  const { code, stdout } = await rig.run('tollgate', ['signature', 'one', '--compare', 'other']);
  assert.is(code, 0);
  assert.match(stdout, /^The same signature\.\n {2}one {4}(v1:\S+) {2}\[stderr\]\n {2}other {2}\1 {2}\[stderr\]\n$/);
});

test('--compare: where they part, by which class, and in which words', async ({ rig }) => {
  rig.write('one', STDERR);
  rig.write('other', STDERR.replaceAll('401 Unauthorized', '403 Forbidden'));
  const { code, stdout } = await rig.run('tollgate', ['signature', '-', '--compare', 'other'], { stdin: STDERR });
  assert.is(code, 1);
  assert.is(
    stdout.replace(/v1:\S+/g, 'v1:…'),
    `Two signatures.
  -      v1:…  [stderr]
  other  v1:…  [stderr]

They part after "unexpected status":
  -      <code:401>  class "code" for "401"  in: Error unexpected status 401 Unauthorized key <secret> for http://127.0.0.1:8080/v1
  other  <code:403>  class "code" for "403"  in: Error unexpected status 403 Forbidden key <secret> for http://127.0.0.1:8080/v1
`,
  );
});

const MISTAKEN: [argv: string[], message: string][] = [
  [['err', '--compare', '/nosuch'], '--compare: /nosuch cannot be read (ENOENT)'],
  [['err', '--compare', '-'], '--compare: - can be read only once, as FILE'],
  [['err', '--compare', 'err', '--jsonl'], '--jsonl and --compare cannot be used together'],
];
for (const [argv, message] of MISTAKEN)
  test(`${argv.join(' ')} is a mistake`, async ({ rig }) => {
    rig.write('err', STDERR);
    const { code, stdout, stderr } = await rig.run('tollgate', ['signature', ...argv]);
    assert.equal([code, stdout, stderr], [2, '', `tollgate signature: ${message}\n`]);
  });

test.run();
