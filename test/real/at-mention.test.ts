// What is sent is what was written: a file that a prompt merely mentions stays where it is, and no prompt is a command.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { type ModelApi, startModelApi } from '../rig/model-api.ts';
import { RealHome } from './real-home.ts';

const test = suite<{ api: ModelApi }>('mentions');
test.before.each(async (context) => {
  context.api = await startModelApi();
});
test.after.each(({ api }) => api.close());

type Way = (file: string, folder: string) => string;

/** Ways to write a file's name into a prompt. A CLI that reads mentions reads each of these in one prompt. */
const PLAIN: readonly Way[] = [
  (file) => `@${file}`,
  (file) => `Explain @${file} to me`,
  (file) => `(@${file}),`,
  (file) => `@./${file}`,
  (file, folder) => `@${path.join(folder, file)}`,
  (file) => `\`\`\`\ncat @${file}\n\`\`\``,
  (file) => `mail@${file}`,
  (file) => `\t@${file}\t`,
];
/** Of these gemini gets one to a prompt, since one that it does not find hides the others. */
const ODD: readonly Way[] = [
  (file) => `the "@${file}" of the team`,
  (file) => `\\@${file}`,
  (file) => `\\\\@${file}`,
  (file) => `@"${file}"`,
  (file) => `@{${file}}`,
  (file) => `!{cat ${file}}`,
];

const promptsOf = (tool: BuiltIn): (readonly Way[])[] => [
  PLAIN,
  ...(tool === 'gemini' ? ODD.map((way) => [way]) : [ODD]),
];

/** What the CLIs take for commands of theirs when a person types it. */
const ORDERS: Record<BuiltIn, readonly string[]> = {
  gemini: ['/init this sentence', '/review this sentence', '?why a question', '!echo order'],
  copilot: ['/init this sentence', '/compact this sentence', '!echo order'],
  codex: ['/review this sentence', '!echo order'],
  claude: ['/init this sentence', '/compact this sentence', '!echo order'],
};

for (const tool of TOOLS) {
  test(`${tool} sends no file that is only mentioned`, async ({ api }) => {
    const leaks: string[] = [];
    await inLanes(promptsOf(tool), async (ways) => {
      const files = ways.map((_way, at) => `.env.local${at}`);
      await ask(
        api,
        tool,
        (project) => `Say hello.\n\n${ways.map((write, at) => write(files[at]!, project)).join('\n\n')}\n`,
        (sent) => {
          for (const [at, file] of files.entries()) {
            assert.match(sent, file, 'the mention itself is part of the prompt');
            if (sent.includes(`planted-secret-${at}-`)) leaks.push(String(ways[at]));
          }
        },
      );
    });
    assert.equal(leaks, []);
  });

  test(`${tool} takes no prompt for a command`, async ({ api }) => {
    const lost: string[] = [];
    await inLanes(ORDERS[tool], async (order) => {
      await ask(
        api,
        tool,
        () => order,
        (sent) => {
          if (!sent.includes(order) || sent.includes('HIJACKED')) lost.push(order);
        },
      );
    });
    assert.equal(lost, []);
  });
}

test.run();

/** Two at a time, each item once. */
async function inLanes<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const lane = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all([lane(), lane()]);
}

/** Calls the wrapper in a project with planted files and a planted command, and shows all that was sent. */
async function ask(api: ModelApi, tool: BuiltIn, prompt: (project: string) => string, look: (sent: string) => void) {
  const run = randomUUID();
  const home = new RealHome(tool, api.url('ok', run));
  try {
    for (const at of PLAIN.keys()) home.write(`.env.local${at}`, `PLANTED=planted-secret-${at}-\n`);
    home.write('.gemini/commands/review.toml', 'prompt = "HIJACKED {{args}}"\n');
    const [out, err] = ['answer.out', 'answer.err'].map((name) => path.join(home.root, name)) as [string, string];
    const file = home.write('prompt.md', prompt(home.project));
    const argv = ['--prompt-file', file, '--out', out, '--err', err, '--trust-workspace'];
    const { code, stderr } = await home.start(ADAPTERS[tool].command, argv).result;
    assert.is(code, 0, stderr);
    assert.is(readFileSync(out, 'utf8').trim(), 'CANNED-ANSWER 42');
    assert.is(api.paid(run).length, 1);
    look(
      api
        .requests(run)
        .map((request) => request.body)
        .join('\n'),
    );
  } finally {
    await home.dispose();
  }
}
