// Calls in one line by the real CLIs: the prompt reaches the model, and the answer is on stdout.

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TOOLS } from '../../policies/facts/tools.ts';
import { within } from './real-task.ts';

for (const tool of TOOLS)
  test(`${tool}: the prompt as an argument, and on stdin; a session's second call goes on in it, and --last in the second`, () =>
    within(tool, async (home, api) => {
      const call = (words: string[], stdin?: string) =>
        home.start('tollgate', ['call', tool, ...words, '--trust-workspace'], stdin === undefined ? {} : { stdin })
          .result;
      const argument = await call(['PROMPT-A', '--session', 'shop']);
      const stdin = await call(['--session', 'shop', '--no-files'], 'PROMPT-B');
      const last = await call(['PROMPT-C', '--last', '--no-files']);
      const calls = readdirSync(path.join(home.project, '.tmp/calls')).filter((name) => name !== '.gitignore');
      for (const { code, stdout, stderr } of [argument, stdin, last])
        assert.equal([code, stdout], [0, 'CANNED-ANSWER 42\n'], stderr);
      assert.is(argument.stderr, `files: .tmp/calls/${calls[0]}/\n`);
      for (const { stderr } of [stdin, last])
        assert.match(stderr, new RegExp(`^tollgate call ${tool}: resuming ${tool} session \\S+\\n$`));
      assert.is(calls.length, 1);
      const sent = api.paid().map(({ body }) => body);
      assert.equal(
        ['PROMPT-A', 'PROMPT-B', 'PROMPT-C'].map((prompt) => sent.filter((body) => body.includes(prompt)).length),
        [3, 2, 1],
      );
      assert.equal(home.survivors(), []);
    }));

for (const tool of TOOLS)
  test(`${tool}: a session whose files are gone is replaced, without a call that fails`, () =>
    within(tool, async (home, api) => {
      const call = (prompt: string) =>
        home.start('tollgate', ['call', tool, prompt, '--session', 'shop', '--trust-workspace', '--no-files']).result;
      assert.is((await call('PROMPT-A')).code, 0);
      const kept = readFileSync(path.join(home.project, '.tmp/state/sessions.json'), 'utf8');
      const id = /"session_id": "([^"]+)"/.exec(kept)![1]!;
      const files = readdirSync(home.home, { recursive: true, encoding: 'utf8' });
      const own = files.filter((file) => path.basename(file).includes(id.slice(0, 8)) && !file.includes('/tollgate/'));
      assert.ok(own.length > 0);
      for (const file of own) rmSync(path.join(home.home, file), { recursive: true, force: true });
      const { code, stdout, stderr } = await call('PROMPT-B');
      assert.equal([code, stdout], [0, 'CANNED-ANSWER 42\n'], stderr);
      assert.match(stderr, `a new session replaces ${id}: ${tool} no longer has it\n`);
      assert.not.match(api.paid().at(-1)!.body, 'PROMPT-A');
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
