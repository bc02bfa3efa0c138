// What undo, redo and a rollback make of a real session: seen in the request that its CLI sends next.

import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TOOLS, type Tool } from '../../policies/tools.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { ANSWER } from '../rig/model-api/scenario.ts';
import { type ModelApi, startModelApi } from '../rig/model-api.ts';
import { age } from '../rig/session-files.ts';
import { RealHome } from './real-home.ts';
import { callReal } from './real-talk.ts';

const test = suite<{ api: ModelApi }>('undo of real sessions');
test.before.each(async (context) => {
  context.api = await startModelApi();
});
test.after.each(({ api }) => api.close());

for (const tool of TOOLS)
  test(`${tool}: the next request holds what stands, and nothing else`, async ({ api }) => {
    const home = new RealHome(tool, api.url('ok'));
    try {
      const { id, ask, does, file } = await begin(home, tool, api);
      assert.equal(await ask('PROMPT-B'), ['PROMPT-A', ANSWER, 'PROMPT-B']);
      const [before] = [readFileSync(await file())];

      await does(['undo', id]);
      assert.equal(await ask('PROMPT-C'), ['PROMPT-A', ANSWER, 'PROMPT-B', 'PROMPT-C']);

      await does(['undo', id, '--redo', '--force']);
      assert.ok(readFileSync(await file()).equals(before), 'the very same bytes');
      assert.equal(await ask('PROMPT-D'), ['PROMPT-A', ANSWER, 'PROMPT-B', ANSWER, 'PROMPT-D']);

      await does(['recover', id, '--choose', 'rollback']);
      await does(['undo', id, '--edit', 'PROMPT-E', '--trust-workspace']);
      assert.equal(lastRequest(api), ['PROMPT-A', ANSWER, 'PROMPT-E']);
    } finally {
      await home.dispose();
    }
  });

test.run();

async function begin(home: RealHome, tool: Tool, api: ModelApi) {
  const record = await callReal(home, tool, 'PROMPT-A', []);
  const id = record.session_id!;
  const lookup = { environment: home.env, cwd: home.project };
  const store = await ADAPTERS[tool].sessions();
  const file = async () => (await store.find(id, lookup))!.file;
  return {
    id,
    file,
    /** @returns what the model was sent. */
    async ask(prompt: string): Promise<string[]> {
      await callReal(home, tool, prompt, ['--resume-session', id]);
      return lastRequest(api);
    },
    async does(words: string[]): Promise<void> {
      // Else it would be waited for: gemini tells by the file's time alone whether it is still at it.
      age(await file());
      const { code, stderr } = await home.start('tollgate', words).result;
      assert.is(code, 0, stderr);
    },
  };
}

/** Of the last request that asked the model, the prompts and answers in their order. */
function lastRequest(api: ModelApi): string[] {
  const { body } = api.paid().at(-1)!;
  return [...body.matchAll(/PROMPT-[A-Z]|CANNED-ANSWER 42/g)].map(([said]) => said);
}
