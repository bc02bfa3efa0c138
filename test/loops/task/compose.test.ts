// The prompt of a stage from what lies on the disk: the same bytes for the same inputs, templates, digests, secrets.

import { createHash } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { GOAL_TO_FILL_IN, INPUT_TEMPLATES } from '../../../policies/manifest/new-task-files.ts';
import { NO_PROJECT_FILE, type ProjectFile } from '../../../policies/manifest/project-file.ts';
import { where } from '../../rig/where-possible.ts';
import { type Wish, World } from './world.ts';

const test = suite<{ world: World }>('compose');
test.before.each((context) => {
  context.world = new World();
});
test.after.each(({ world }) => world.dispose());

/** What stands in the part "Your part". */
const partOf = (text: string): string => /# Your part: \w+\n\n([\s\S]*?)\n+# Goal/.exec(text)![1]!;

test('the same inputs give the same bytes, in whatever order the files were made', async ({ world }) => {
  const other = new World();
  const names = ['b.txt', 'a.txt', 'sub/c.txt', 'B.txt', 'é.txt'];
  for (const name of names) world.input(`attachments/${name}`, name);
  for (const name of names.reverse()) other.input(`attachments/${name}`, name);
  for (const place of [world, other]) place.input('user_request.md', 'Do it.');
  const [first, second, third] = [await world.prompt(), await world.prompt(), await other.prompt()];
  assert.equal(first, second);
  assert.equal(first, third);
  world.input('user_request.md', 'Do it!');
  assert.is.not((await world.prompt()).sha256, first.sha256);
  other.dispose();
});

test('the hash is over the bytes that the CLI gets', async ({ world }) => {
  world.input('user_request.md', 'See @src/parse.ts.');
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const { text, sha256: codex } = await world.prompt({ stage: { tool: 'codex' } });
  const { sha256: gemini } = await world.prompt({ stage: { tool: 'gemini' } });
  const { sha256: fallback } = await world.prompt({ stage: { tool: 'codex' }, request: { tool: 'gemini' } });
  assert.is(codex, sha256(text));
  assert.is(gemini, sha256(text.replace('@src', '\\@src')));
  assert.is(fallback, gemini);
});

test("the task's template goes before the project's, and that before the built-in one", async ({ world }) => {
  world.write('prompts/brief.md', 'The project says {{goal}}\n');
  world.write('.tmp/task/fix/mine.md', 'The task says {{task_id}} {{role}} {{stage}} {{{{x}}\n{{> builtin:runbook}}\n');
  const project = { roles: { brief: { template: 'prompts/brief.md', requires: ['Gist'] } } };
  const rows: [wish: Parameters<World['prompt']>[0], part: RegExp, form: string][] = [
    [{}, /^Write the brief from which/, '`## Updated Context Pack`'],
    [{ project }, /^The project says Make the parser take empty lines\.$/, '- `## Gist`\n'],
    [{ project, stage: { prompt: 'mine.md' } }, /^The task says fix brief codex_brief {{x}}\nWrite down how to/, ''],
    [
      { stage: { prompt: 'mine.md', requires: ['Own'], min_lines: 3 } },
      /^The task says/,
      '- `## Own`\n\nIt must have at least 3',
    ],
  ];
  for (const [wish, part, form] of rows) {
    const { text } = await world.prompt(wish);
    assert.match(partOf(text), part);
    assert.match(text, form);
    assert.is(text.includes('# Your answer'), form !== '');
  }
});

test('a stage that answers in JSON gets no list of Markdown sections', async ({ world }) => {
  for (const role of ['brief', 'test_design', 'review'] as const) {
    const sections = partOf((await world.prompt({ stage: { role } })).text);
    const json = partOf((await world.prompt({ stage: { role, schema: { type: 'object' } } })).text);
    assert.match(sections, /^- `## /m);
    assert.not.match(json, /^- `## /m);
    assert.ok(sections.startsWith(json));
  }
});

test('an untrusted workspace has no say: built-in template and rules, and a warning', async ({ world }) => {
  world.write('prompts/brief.md', 'EVIL\n');
  world.write('rules.md', 'EVIL\n');
  const project = { rules: 'rules.md', roles: { brief: { template: 'prompts/brief.md', access: 'write' as const } } };
  assert.match((await world.prompt({ project })).text, /^# Rules\n\nEVIL\n\n# How to read this\n/);
  const { text, warnings } = await world.prompt({ project, trust: 'untrusted' });
  assert.not.match(text, 'EVIL');
  assert.equal(warnings, [
    'what tollgate.yaml says of the role brief is not used, since the workspace is not trusted (--trust-workspace)',
    'the rules of tollgate.yaml (rules.md) are not used, since the workspace is not trusted (--trust-workspace)',
  ]);
});

test('templates and rules that cannot be used: which file, where, and why', async ({ world }) => {
  const write = (name: string, text: string) => world.write(`.tmp/task/fix/${name}`, text);
  write('circle.md', 'one\n{{> a}}');
  write('a.md', '{{> b.md}}');
  write('b.md', '\n\n{{> a}}');
  write('missing.md', '{{> other}}');
  write('near.md', '{{> cirle}}');
  write('deep.md', '{{> missing}}');
  write('word.md', 'a\nb {{gaol}}');
  write('open.md', 'a {{goal');
  write('up.md', '{{> ../manifest}}');
  write('builtin.md', '{{> builtin:imp}}');
  write('binary.md', 'a\0b');
  write('empty.md', ' \n');
  write('hollow.md', '{{> empty}}\n');
  world.write('outside.md', 'x');
  world.write('.env', 'x');
  world.link('.tmp/task/fix/link.md', '../../../outside.md');
  world.link('.tmp/task/fix/inner.md', 'link.md');
  write('by-link.md', '{{> link}}');
  const literal = 'a literal {{ is written {{{{';
  const rows: [prompt: string, message: string][] = [
    ['gone.md', 'its prompt, gone.md, cannot be read in PROJECT/.tmp/task/fix (ENOENT)'],
    ['inputs', 'its prompt, inputs, is not a regular file in PROJECT/.tmp/task/fix'],
    ['/etc/passwd', 'its prompt, /etc/passwd, is an absolute path; it must be relative to PROJECT/.tmp/task/fix'],
    ['../../x.md', 'its prompt, ../../x.md, leads out of PROJECT/.tmp/task/fix ("..")'],
    ['link.md', 'its prompt, link.md, leads out of PROJECT/.tmp/task/fix by a symbolic link'],
    ['inner.md', 'its prompt, inner.md, leads out of PROJECT/.tmp/task/fix by a symbolic link'],
    ['binary.md', 'its prompt, binary.md, is not UTF-8 text'],
    ['empty.md', 'its template empty.md is empty'],
    ['hollow.md', 'its template hollow.md is empty'],
    ['circle.md', 'b.md:3: {{> a}} includes itself: a.md > b.md > a.md (included by circle.md:2 > a.md:1)'],
    [
      'missing.md',
      'missing.md:1: {{> other}} names no template: there is no other nor other.md in PROJECT/.tmp/task/fix',
    ],
    [
      'near.md',
      'near.md:1: {{> cirle}} names no template: there is no cirle nor cirle.md in PROJECT/.tmp/task/fix; did you mean {{> circle}}?',
    ],
    [
      'deep.md',
      'missing.md:1: {{> other}} names no template: there is no other nor other.md in PROJECT/.tmp/task/fix (included by deep.md:1)',
    ],
    [
      'by-link.md',
      'by-link.md:1: {{> link}} cannot be included: link.md leads out of PROJECT/.tmp/task/fix by a symbolic link',
    ],
    [
      'word.md',
      `word.md:2: {{gaol}} is not a variable; did you mean {{goal}}? There are goal, task_id, role, stage; ${literal}`,
    ],
    ['open.md', `open.md:1: {{ is not closed by }} on its line; ${literal}`],
    ['up.md', 'up.md:1: {{> ../manifest}} must be the name of a file in the same folder, or builtin:ROLE'],
    [
      'builtin.md',
      'builtin.md:1: {{> builtin:imp}} names no built-in template; did you mean builtin:impl? There are brief, test_design, impl, test_impl, static_verify, verify, review, review_consolidate, runbook, worker, reasoner',
    ],
  ];
  for (const [prompt, message] of rows)
    assert.is(await world.mistake({ stage: { prompt } }), `stage codex_brief: ${message}`);
  assert.is(
    await world.mistake({ project: { rules: 'gone.md' } }),
    'tollgate.yaml: rules: gone.md cannot be read in PROJECT (ENOENT)',
  );
  assert.is(
    await world.mistake({ project: { rules: '.env' }, manifest: { security: { forbidden_paths: ['.env'] } } }),
    'tollgate.yaml: rules: .env is forbidden by .env (security.forbidden_paths)',
  );
});

test('a template is found however its accents are written, and no template is a hard link of what is forbidden', async ({
  world,
}) => {
  world.write('.tmp/task/fix/e\u0301/me\u0301.md', 'decomposed {{goal}}');
  assert.match((await world.prompt({ stage: { prompt: '\u00e9/m\u00e9.md' } })).text, 'decomposed Make the parser');
  const env = world.write('.env', 'HUSH');
  linkSync(env, path.join(world.root, 'rules.md'));
  linkSync(env, path.join(world.task, 'own.md'));
  const manifest = { security: { forbidden_paths: ['.env'] } };
  const why = 'is forbidden by .env, as a hard link of .env (security.forbidden_paths)';
  assert.is(await world.mistake({ manifest, project: { rules: 'rules.md' } }), `tollgate.yaml: rules: rules.md ${why}`);
  assert.is(
    await world.mistake({ manifest, stage: { prompt: 'own.md' } }),
    `stage codex_brief: its prompt, own.md, ${why}`,
  );
  linkSync(env, path.join(world.task, 'inputs/user_request.md'));
  assert.is(await world.mistake({ manifest }), `PROJECT/.tmp/task/fix/inputs/user_request.md ${why}`);
});

test('what is quoted is never expanded', async ({ world }) => {
  world.input('user_request.md', '{{goal}} {{> builtin:impl}} {{{{');
  assert.match((await world.prompt({ manifest: { goal: 'a {{role}}' } })).text, '\n{{goal}} {{> builtin:impl}} {{{{\n');
});

test('inputs that are there and cannot be read are an error', async ({ world }) => {
  mkdirSync(path.join(world.task, 'inputs/user_request.md'));
  assert.is(await world.mistake(), 'PROJECT/.tmp/task/fix/inputs/user_request.md cannot be read (EISDIR)');
  const pack = new World();
  pack.input('context_pack.md', Buffer.from([0xe9]));
  assert.is(await pack.mistake(), 'PROJECT/.tmp/task/fix/inputs/context_pack.md is not UTF-8 text');
  assert.match((await pack.prompt({ request: { handedOff: 'instead' } })).text, 'context =====\ninstead\n');
  pack.dispose();
});

where('user', test)('an attached file that cannot be read is an error', async ({ world }) => {
  chmodSync(world.input('attachments/a.txt', 'x'), 0);
  assert.is(await world.mistake(), 'stage codex_brief: attach: attachments/a.txt cannot be read (EACCES)');
});

test('secrets are taken out wherever they stand, and the fences stay', async ({ world }) => {
  const key = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n';
  const token = 'ghp_0123456789abcdefABCDEF0123456789abcd';
  world.input('user_request.md', `Use ${token}.\n`);
  world.input('attachments/a.txt', key);
  world.input('attachments/b.txt', `halfway\n-----END PRIVATE KEY-----\n`);
  const { text } = await world.prompt({
    manifest: { goal: `goal ${token}`, security: { redaction_patterns: ['[0-9a-f]{16}', 'begin|=====', 'halfway'] } },
    request: { earlier: [{ stage: 'a', role: 'b', text: token }] },
  });
  assert.not.match(text, token);
  assert.not.match(text, 'halfway');
  const word = /===== begin (\w{16}): \.\.\./.exec(text)![1]!;
  const fences = text.split('\n').filter((line) => line.startsWith('====='));
  assert.equal(
    fences.map((line) => line.replace(word, 'WORD')),
    [
      '===== begin WORD: request =====',
      '===== end WORD =====',
      '===== begin WORD: attachments/a.txt, 69 bytes =====',
      '===== end WORD =====',
      '===== begin WORD: attachments/b.txt, 34 bytes =====',
      '===== end WORD =====',
      '===== begin WORD: answer of a (b) =====',
      '===== end WORD =====',
    ],
  );
});

test('64 MiB of logs are read in little memory', async ({ world }) => {
  const line = `${'x'.repeat(99)}\n`;
  for (const name of ['a.log', 'b.log', 'c.log', 'd.log']) world.input(`attachments/${name}`, line.repeat(160_000));
  const before = process.memoryUsage().rss;
  const { text } = await world.prompt({ manifest: { context: { digest_policy: 'auto' } } });
  const grown = process.memoryUsage().rss - before;
  assert.ok(text.length <= 400_000, String(text.length));
  assert.ok(grown < 150 * 1024 * 1024, `${grown} bytes`);
});

const LIMITS: [what: string, wish: Wish, limit: number][] = [
  ['400,000 unless told', {}, 400_000],
  ["the tool's own", { project: prompts({ codex: 500_000 }) }, 500_000],
  ["another tool's", { project: prompts({ gemini: 500_000 }) }, 400_000],
  ["the model's, where the stage names it", { project: prompts({}, { m: 20_000 }), stage: { model: 'm' } }, 20_000],
  ["another model's", { project: prompts({}, { m: 20_000 }), stage: { model: 'n' } }, 400_000],
  [
    'what the CLI takes, whatever is said',
    { project: prompts({}, { m: 9_000_000 }), stage: { model: 'm' } },
    1_048_576,
  ],
];

function prompts(tools: Partial<ProjectFile['prompts']['max_chars']>, models: Record<string, number> = {}) {
  const { max_chars } = NO_PROJECT_FILE.prompts;
  return { prompts: { max_chars: { ...max_chars, ...tools }, max_chars_by_model: models } };
}

for (const [what, wish, limit] of LIMITS)
  test(`a prompt may have so many characters: ${what}`, async ({ world }) => {
    const withDigest = (digest_policy: string) => ({ ...wish, manifest: { context: { digest_policy } } });
    const empty = (await world.prompt(withDigest('off'))).text.length;
    world.input('attachments/a.txt', 'x');
    const frame = (await world.prompt(withDigest('off'))).text.length - empty + String(limit).length;
    for (const [chars, left] of [
      [limit - empty - frame, 0],
      [limit, 1],
    ] as const) {
      world.input('attachments/a.txt', 'x'.repeat(chars));
      const auto = await world.prompt(withDigest('auto'));
      const off = await world.prompt(withDigest('off'));
      assert.equal([auto.leftOut.length, auto.tooLarge, off.leftOut], [left, null, []]);
      assert.ok(auto.text.length <= limit && auto.text.length > limit - 1000, String(auto.text.length));
      assert.equal(
        off.tooLarge,
        left === 0
          ? null
          : {
              chars: off.text.length,
              limit,
              why: 'context.digest_policy is off, so nothing of it was omitted',
            },
      );
    }
  });

test('off leaves nothing out, of a file either that is only read at its ends', async ({ world }) => {
  world.input('attachments/a.log', `${'a line of it\n'.repeat(200_000)}`);
  const { tooLarge, parts } = await world.prompt();
  assert.ok(tooLarge!.chars > 2_600_000 && tooLarge!.chars < 2_610_000, String(tooLarge!.chars));
  const log = parts.find((part) => part.kind === 'attachment')!;
  assert.equal([log.chars, log.kept], [2_600_000, 2_600_000]);
});

function writeTemplates(world: World): void {
  for (const [name, text] of Object.entries(INPUT_TEMPLATES)) world.input(name, text);
}

for (const digest_policy of ['off', 'aggressive'])
  test(`inputs that nobody filled in are not in the prompt, with digest ${digest_policy}`, async ({ world }) => {
    const manifest = { context: { digest_policy } };
    const before = await world.prompt({ manifest });
    writeTemplates(world);
    const { text, sha256 } = await world.prompt({ manifest });
    assert.is(text, before.text);
    assert.is(sha256, before.sha256);
  });

test('a task whose goal and request are still to be filled in is refused', async ({ world }) => {
  const manifest = { goal: GOAL_TO_FILL_IN };
  const said =
    'there is no request yet: the goal in PROJECT/.tmp/task/fix/manifest.json is not filled in, and PROJECT/.tmp/task/fix/inputs/user_request.md has no text; write the request into one of them';
  assert.is(await world.mistake({ manifest }), said);
  writeTemplates(world);
  assert.is(await world.mistake({ manifest }), said);
  world.input('user_request.md', 'Mend it.');
  const { text } = await world.prompt({ manifest });
  assert.ok(text.includes('Mend it.') && !text.includes(GOAL_TO_FILL_IN) && !text.includes('# Goal'), text);
});

const LINKED: [name: string, target: string, message: string | null][] = [
  ['user_request.md', '../../../../notes.md', null],
  ['user_request.md', '/etc/passwd', 'leads out of PROJECT by a symbolic link'],
  ['context_pack.md', `${'../'.repeat(30)}etc/passwd`, 'leads out of PROJECT by a symbolic link'],
  ['context_pack.md', '../../../../.env', 'leads to what is forbidden by .env (security.forbidden_paths)'],
  ['context_pack.md', 'context_pack.md', 'is a symbolic link that cannot be followed (ELOOP)'],
];
for (const [name, target, message] of LINKED)
  test(`inputs/${name} that is a link to ${target}: ${message ?? 'is read'}`, async ({ world }) => {
    world.write('notes.md', 'the notes');
    world.write('.env', 'KEY=x');
    world.link(`.tmp/task/fix/inputs/${name}`, target);
    const composed = await world.compose({ manifest: { security: { forbidden_paths: ['.env'] } } });
    const said = composed.how === 'invalid' ? composed.message.replaceAll(world.root, 'PROJECT') : null;
    assert.is(said, message === null ? null : `PROJECT/.tmp/task/fix/inputs/${name} ${message}`);
    if (composed.how === 'done') assert.match(composed.text, 'the notes');
  });

test.run();
