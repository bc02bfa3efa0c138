// Several undos and redos in a row, and the only turn of a session, right after each call: seen in the request that the real CLI sends next.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TOOLS } from '../../policies/tools.ts';
import { ANSWER } from '../rig/model-api/scenario.ts';
import { type ModelApi, startModelApi } from '../rig/model-api.ts';
import { RealHome } from './real-home.ts';
import { beginTalk } from './real-talk.ts';

const test = suite<{ api: ModelApi }>('undo again');
test.before.each(async (context) => {
  context.api = await startModelApi();
});
test.after.each(({ api }) => api.close());

for (const tool of TOOLS)
  test(`${tool}: two undos go back two turns, and redos bring each answer back`, async ({ api }) => {
    const home = new RealHome(tool, api.url('ok'));
    try {
      const talk = await beginTalk(home, tool, api);
      for (const prompt of ['PROMPT-B', 'PROMPT-C']) await talk.ask(prompt);
      // Nobody waits: what was called is over.
      await talk.does('undo');
      await talk.does('undo');
      assert.equal(await talk.ask('PROMPT-D'), ['PROMPT-A', ANSWER, 'PROMPT-B', 'PROMPT-D']);
      await talk.does('undo', '--redo', '1', '--force');
      assert.equal(await talk.ask('PROMPT-E'), [
        ...['PROMPT-A', ANSWER, 'PROMPT-B', ANSWER, 'PROMPT-C', ANSWER],
        'PROMPT-E',
      ]);
    } finally {
      await home.dispose();
    }
  });

for (const tool of TOOLS)
  test(`${tool}: other prompts in the place of the only one, and three redos to the first`, async ({ api }) => {
    const home = new RealHome(tool, api.url('ok'));
    try {
      const talk = await beginTalk(home, tool, api);
      for (const prompt of ['PROMPT-B', 'PROMPT-C']) {
        await talk.does('undo', '--edit', prompt, '--trust-workspace');
        assert.equal(talk.sent(), [prompt]);
      }
      for (let i = 0; i < 3; i += 1) await talk.does('undo', '--redo', '--force');
      assert.equal(await talk.ask('PROMPT-D'), ['PROMPT-A', ANSWER, 'PROMPT-D']);
    } finally {
      await home.dispose();
    }
  });

test.run();
