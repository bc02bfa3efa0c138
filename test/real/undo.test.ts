// What undo, redo and a rollback make of a real session, right after each call: seen in the request that its CLI sends next.

import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { ANSWER } from '../rig/model-api/scenario.ts';
import { type ModelApi, startModelApi } from '../rig/model-api.ts';
import { OLDER_CLIS, RealHome } from './real-home.ts';
import { beginTalk, type RealTalk } from './real-talk.ts';

const test = suite<{ api: ModelApi }>('undo of real sessions');
test.before.each(async (context) => {
  context.api = await startModelApi();
});
test.after.each(({ api }) => api.close());

for (const tool of TOOLS)
  test(`${tool}: the next request holds what stands, and nothing else`, async ({ api }) => {
    const home = new RealHome(tool, api.url('ok'));
    try {
      const talk = await beginTalk(home, tool, api);
      assert.equal(await talk.ask('PROMPT-B'), ['PROMPT-A', ANSWER, 'PROMPT-B']);
      await talk.ask('PROMPT-C');
      const before = await bytesOf(tool, home, talk);

      // Two go back two turns, and nobody waits: what was called is over.
      await talk.does('undo');
      await talk.does('undo');
      assert.equal(await talk.ask('PROMPT-D'), ['PROMPT-A', ANSWER, 'PROMPT-B', 'PROMPT-D']);

      await talk.does('undo', '--redo', '1', '--force');
      assert.ok((await bytesOf(tool, home, talk)).equals(before), 'the very same bytes');
      const all = ['PROMPT-A', ANSWER, 'PROMPT-B', ANSWER, 'PROMPT-C', ANSWER];
      assert.equal(await talk.ask('PROMPT-E'), [...all, 'PROMPT-E']);

      await talk.does('recover', '--choose', 'rollback');
      await talk.does('undo', '--edit', 'PROMPT-F', '--trust-workspace');
      assert.equal(talk.sent(), [...all.slice(0, 4), 'PROMPT-F']);
    } finally {
      await home.dispose();
    }
  });

for (const tool of ['copilot', 'claude'] as const)
  test(`an older ${tool}: the next request holds what stands, and nothing else`, async ({ api }) => {
    const home = new RealHome(tool, api.url('ok'), OLDER_CLIS);
    try {
      const talk = await beginTalk(home, tool, api);
      await talk.ask('PROMPT-B');
      const before = await bytesOf(tool, home, talk);
      await talk.does('recover', '--choose', 'rollback');
      assert.equal(await talk.ask('PROMPT-C'), ['PROMPT-A', ANSWER, 'PROMPT-C']);
      await talk.does('undo', '--redo', '1', '--force');
      assert.ok((await bytesOf(tool, home, talk)).equals(before), 'the very same bytes');
      await talk.does('undo', '--edit', 'PROMPT-D', '--trust-workspace');
      assert.equal(talk.sent(), ['PROMPT-A', ANSWER, 'PROMPT-D']);
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

async function bytesOf(tool: BuiltIn, home: RealHome, talk: RealTalk): Promise<Buffer> {
  const store = await ADAPTERS[tool].sessions();
  const found = await store.find(talk.id(), { environment: home.env, cwd: home.project });
  return readFileSync(found!.file);
}
