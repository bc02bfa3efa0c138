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

test.run();
