// Calls in one line by the real CLIs: the prompt reaches the model, and the answer is on stdout.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TOOLS } from '../../policies/facts/tools.ts';
import { within } from './real-task.ts';

for (const tool of TOOLS)
  test(`${tool}: the prompt as an argument, and on stdin`, () =>
    within(tool, async (home, api) => {
      const argument = await home.start('tollgate', ['call', tool, 'PROMPT-A', '--trust-workspace']).result;
      const stdin = await home.start('tollgate', ['call', tool, '--trust-workspace', '--no-files'], {
        stdin: 'PROMPT-B',
      }).result;
      const calls = readdirSync(path.join(home.project, '.tmp/calls')).filter((name) => name !== '.gitignore');
      for (const { code, stdout, stderr } of [argument, stdin])
        assert.equal([code, stdout], [0, 'CANNED-ANSWER 42\n'], stderr);
      assert.equal([argument.stderr, stdin.stderr], [`files: .tmp/calls/${calls[0]}/\n`, '']);
      assert.is(calls.length, 1);
      const sent = api.paid().map(({ body }) => body);
      assert.equal(
        ['PROMPT-A', 'PROMPT-B'].map((prompt) => sent.filter((body) => body.includes(prompt)).length),
        [1, 1],
      );
      assert.equal(home.survivors(), []);
    }));

for (const tool of TOOLS)
  test(`${tool}: the second call of a session goes on in the first, and --last in the second`, () =>
    within(tool, async (home, api) => {
      const call = (...argv: string[]) => home.start('tollgate', ['call', tool, ...argv, '--trust-workspace']).result;
      const made = [
        await call('PROMPT-A', '--session', 'shop'),
        await call('PROMPT-B', '--session', 'shop'),
        await call('PROMPT-C', '--last'),
      ];
      for (const { code, stderr } of made) assert.is(code, 0, stderr);
      const sent = api.paid().map(({ body }) => [...body.matchAll(/PROMPT-[ABC]/g)].map(([name]) => name));
      const last = new Set(sent.at(-1));
      assert.equal([...last].sort(), ['PROMPT-A', 'PROMPT-B', 'PROMPT-C']);
      assert.equal(home.survivors(), []);
    }));

const SCHEMA = JSON.stringify({
  type: 'object',
  properties: { risk: { enum: ['low', 'high'] } },
  required: ['risk'],
  additionalProperties: false,
});

for (const tool of TOOLS.filter((each) => each !== 'claude'))
  test(`${tool}: an answer that fits its schema is printed, and prose fails the call after one request`, () =>
    within(tool, async (home, api) => {
      const argv = ['call', tool, 'PROMPT-A', '--json-schema', SCHEMA, '--trust-workspace', '--no-files'];
      api.script(['says={"risk":"low"}']);
      const fits = await home.start('tollgate', argv).result;
      assert.equal([fits.code, fits.stdout], [0, '{"risk":"low"}\n'], fits.stderr);
      const paid = api.paid().length;
      const prose = await home.start('tollgate', argv).result;
      assert.equal([prose.code === 0, prose.stdout], [false, '']);
      assert.match(prose.stderr, /contract_violation/);
      assert.is(api.paid().length, paid + 1);
      assert.equal(home.survivors(), []);
    }));

test('claude: prose instead of the structure of its schema fails the call', () =>
  within('claude', async (home) => {
    const argv = ['call', 'claude', 'PROMPT-A', '--json-schema', SCHEMA, '--trust-workspace', '--no-files'];
    const { code, stdout, stderr } = await home.start('tollgate', argv).result;
    assert.equal([code === 0, stdout], [false, '']);
    assert.match(stderr, /contract_violation/);
    assert.equal(home.survivors(), []);
  }));

test.run();
