// Golden prompts: the whole text that each built-in role gets for one small task. GOLDEN=write writes them anew.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROLES } from '../../../policies/manifest/roles.ts';
import { World } from './world.ts';

const test = suite<{ world: World }>('golden prompts');
test.before.each((context) => {
  context.world = new World();
});
test.after.each(({ world }) => world.dispose());

const GOLDEN = path.join(import.meta.dirname, 'golden');

const EARLIER = [
  {
    stage: 'codex_brief',
    role: 'brief',
    text: '## Summary\nEmpty lines.\n\n## Plan\n1. Skip them in src/parse.ts.\n\n## Updated Context Pack\nLines are split in src/lines.ts.\n\n## Verification Commands\n```\nnpm test\n```\n',
  },
  {
    stage: 'codex_impl',
    role: 'impl',
    text: '## Summary\nDone.\n\n## Changed Files\n- src/parse.ts: skips empty lines\n',
  },
];

for (const [role, row] of Object.entries(ROLES)) {
  const access = row.changesTree ? (['write', 'read'] as const) : (['read'] as const);
  for (const right of access) {
    const name = `${role}${row.changesTree && right === 'read' ? '.read' : ''}.md`;
    test(name, async ({ world }) => {
      world.input('user_request.md', 'The parser stops at the first empty line.\nIt should skip it.\n');
      world.input('context_pack.md', 'Node 20, no dependencies.\n');
      world.input('attachments/build.log', 'ok 1\nnot ok 2: empty line\n');
      world.write('src/parse.ts', 'export const parse = 1;\n');
      const reads: readonly string[] = row.reads;
      const { text } = await world.prompt({
        stage: { role, access: right, attach: ['attachments/*', 'src/*.ts'] },
        manifest: {
          scope: { allow: ['src/**', 'test/**'], deny: ['src/vendor/**'] },
          acceptance: { criteria: ['An empty line is skipped.', 'Line numbers stay right.'], commands: ['npm test'] },
          security: { forbidden_paths: ['.env'] },
        },
        request: {
          earlier: EARLIER.filter((answer) => reads.includes(answer.role)),
          handedOff: row.handsOff ? null : 'Lines are split in src/lines.ts.\n',
        },
      });
      const file = path.join(GOLDEN, name);
      if (process.env.GOLDEN === 'write') writeFileSync(file, text);
      assert.is(text, readFileSync(file, 'utf8'));
    });
  }
}

for (const digest of ['auto', 'aggressive'] as const)
  test(`impl.${digest}.md`, async ({ world }) => {
    const log = Array.from({ length: 400 }, (_, i) => `ok ${i + 1} - a case of the parser\n`).join('');
    world.input('user_request.md', '# Empty lines\n\nSkip them.\n\n## Non-goals\n\nNo new syntax.\n');
    world.input('context_pack.md', `${'Background. '.repeat(400)}\n\n## Fixed decisions\n\nLines end with \\n.\n`);
    world.input('attachments/build.log', `${log}not ok 401 - empty line\n`);
    const { text } = await world.prompt({
      stage: { role: 'impl' },
      manifest: {
        scope: { allow: ['src/**'], deny: ['src/vendor/**'] },
        acceptance: { criteria: ['An empty line is skipped.'], commands: ['npm test'] },
        context: { digest_policy: digest },
      },
      request: { earlier: EARLIER.slice(0, 1) },
      project: {
        prompts: { max_chars: { gemini: 8000, copilot: 8000, codex: 8000, claude: 8000 }, max_chars_by_model: {} },
      },
    });
    const file = path.join(GOLDEN, `impl.${digest}.md`);
    if (process.env.GOLDEN === 'write') writeFileSync(file, text);
    assert.is(text, readFileSync(file, 'utf8'));
  });

test('there is no golden prompt of a role that is gone', () => {
  const roles = Object.entries(ROLES).flatMap(([role, row]) => [
    `${role}.md`,
    ...(row.changesTree ? [`${role}.read.md`] : []),
  ]);
  assert.equal(readdirSync(GOLDEN).sort(), [...roles, 'impl.aggressive.md', 'impl.auto.md'].sort());
});

test.run();
