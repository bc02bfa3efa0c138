// What is large is published as it lies there, but only where a copy would be the same bytes, and nobody can add to them.

import { chmodSync, closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { largeOutput } from '../../loops/large-output.ts';
import { createRedactor } from '../../policies/redact/create-redactor.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const SECRETS = { A_TOKEN: 'open-sesame' };
const PLAIN = 'a line of stderr that says nothing in particular, and über all says it again\n';
/** More than is read at once, twice. */
const MUCH = PLAIN.repeat(2000);

const test = suite<{ raw: string; target: string }>('large output');
test.before.each((context) => {
  const folder = temporaryFolder('large-output-');
  Object.assign(context, { raw: path.join(folder, 'stderr'), target: path.join(folder, 'target') });
});

/** Whether it was published so. */
function isPublished(
  { raw, target }: { raw: string; target: string },
  text: string | Buffer,
  {
    patterns = [],
    worthIt = 1,
    meanwhile = () => {},
  }: { patterns?: string[]; worthIt?: number; meanwhile?: () => void } = {},
): boolean {
  writeFileSync(raw, text, { mode: 0o600 });
  meanwhile();
  const fd = openSync(raw, 'r');
  const { publishAsItIs } = largeOutput(createRedactor({ env: SECRETS, patterns }), worthIt);
  const published = publishAsItIs(raw, fd, target, 'renamed', null);
  closeSync(fd);
  if (published === null) {
    assert.not.ok(existsSync(target));
    return false;
  }
  assert.is(statSync(target).ino, statSync(raw).ino);
  assert.ok(readFileSync(target).equals(Buffer.from(text)));
  return true;
}

/** Elsewhere it is copied. */
const CAN_TELL = process.platform === 'linux' && existsSync('/usr/bin/perl');

for (const text of [
  MUCH,
  `${MUCH}no line end`,
  'x',
  '\n',
  Array.from({ length: 5000 }, (_, i) => `${i} ${PLAIN}`).join(''),
])
  test(`what holds no secret lies there as it is: ${text.length} characters`, (context) => {
    assert.is(isPublished(context, text), CAN_TELL);
  });

const SECRET = 'open-sesame';
const HOLDING: Record<string, string | Buffer> = {
  'a secret at its beginning': `${SECRET}\n${MUCH}`,
  'a secret in its midst': `${MUCH}${SECRET}\n${MUCH}`,
  'a secret in its last line': `${MUCH}${SECRET}\n`,
  'a secret without a line end': `${MUCH}${SECRET}`,
  'a secret that a colour hides': `${MUCH}open\x1b[31m-sesame\n`,
  'a line longer than what is read at once': `${'word '.repeat(20_000)}\n${MUCH}`,
  'bytes that are no UTF-8': Buffer.concat([Buffer.from(MUCH), Buffer.from([0xff]), Buffer.from('\n')]),
  'half a character at its end': Buffer.concat([Buffer.from(MUCH), Buffer.from([0xe2, 0x82])]),
};
for (const [what, text] of Object.entries(HOLDING))
  test(`${what} is left to a copy`, (context) => {
    assert.not.ok(isPublished(context, text));
  });

test('a secret is found wherever the pieces that are read at once end', (context) => {
  for (let shift = 0; shift < 24; shift += 1)
    for (const after of ['\n', ` ${PLAIN}`, ''])
      assert.not.ok(isPublished(context, `${MUCH.slice(0, 65_520 - shift)} ${SECRET}${after}`), `${shift}`);
});

test('so is what others could read, what a pattern of the user may match, and what is small', (context) => {
  assert.not.ok(isPublished(context, MUCH, { meanwhile: () => chmodSync(context.raw, 0o644) }));
  assert.not.ok(isPublished({ ...context, raw: `${context.raw}2` }, MUCH, { patterns: ['boom'] }));
  assert.not.ok(isPublished({ ...context, raw: `${context.raw}3` }, MUCH, { worthIt: 2 * MUCH.length }));
});

test('and what somebody may still write to', (context) => {
  let writer = -1;
  const meanwhile = () => {
    writer = openSync(context.raw, 'a');
  };
  assert.not.ok(isPublished(context, MUCH, { meanwhile }));
  closeSync(writer);
});

test.run();
