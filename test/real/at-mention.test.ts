// What is sent is what was written: a file that a prompt merely mentions stays where it is, and no prompt is a command.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TOOLS, type Tool } from '../../policies/tools.ts';
import { type ModelApi, startModelApi } from '../rig/model-api.ts';
import { RealHome } from './real-home.ts';

const test = suite<{ api: ModelApi }>('mentions');
test.before.each(async (context) => {
  context.api = await startModelApi();
});
test.after.each(({ api }) => api.close());

const COMMANDS = { gemini: 'gemini_headless', codex: 'run_codex', copilot: 'copilot_tool' } as const;

/** Ways to write a file's name into a prompt. Each gets a file of its own, so that a leak names its way. */
const WAYS: readonly ((file: string, folder: string) => string)[] = [
  (file) => `@${file}`,
  (file) => `Explain @${file} to me`,
  (file) => `the "@${file}" of the team`,
  (file) => `(@${file}),`,
  (file) => `@./${file}`,
  (file, folder) => `@${path.join(folder, file)}`,
  (file) => `\`\`\`\ncat @${file}\n\`\`\``,
  (file) => `mail@${file}`,
  (file) => `\\@${file}`,
  (file) => `\\\\@${file}`,
  (file) => `\t@${file}\t`,
  (file) => `@"${file}"`,
  (file) => `@{${file}}`,
  (file) => `!{cat ${file}}`,
];

for (const tool of TOOLS) {
  test(`${tool} sends no file that is only mentioned`, async ({ api }) => {
    const home = new RealHome(tool, api.url('ok', tool));
    try {
      const lines = WAYS.map((write, at) => {
        home.write(`.env.way${at}`, `PLANTED=secret-of-way-${at}-end\n`);
        return write(`.env.way${at}`, home.project);
      });
      await ask(home, tool, `Say hello.\n\n${lines.join('\n')}\n`);
      const sent = api
        .requests(tool)
        .map((request) => request.body)
        .join('\n');
      assert.equal(
        WAYS.filter((_write, at) => sent.includes(`secret-of-way-${at}-end`)).map(String),
        [],
        'these ways leaked',
      );
      for (const at of WAYS.keys()) assert.match(sent, `.env.way${at}`, 'the mention itself is part of the prompt');
    } finally {
      await home.dispose();
    }
  });

  for (const prompt of ['/help me with this sentence', '?why is this a question', '!echo this is an order']) {
    test(`${tool} takes "${prompt}" for a prompt`, async ({ api }) => {
      const home = new RealHome(tool, api.url('ok', tool));
      try {
        await ask(home, tool, prompt);
        assert.is(api.paid(tool).length, 1);
        assert.match(api.paid(tool)[0]!.body, prompt);
      } finally {
        await home.dispose();
      }
    });
  }
}

test.run();

async function ask(home: RealHome, tool: Tool, prompt: string): Promise<void> {
  const [out, err] = ['answer.out', 'answer.err'].map((name) => path.join(home.root, name)) as [string, string];
  const argv = ['--prompt-file', home.write('prompt.md', prompt), '--out', out, '--err', err, '--trust-workspace'];
  const { code, stderr } = await home.start(COMMANDS[tool], argv).result;
  assert.is(code, 0, stderr);
  assert.is(readFileSync(out, 'utf8').trim(), 'CANNED-ANSWER 42');
}
