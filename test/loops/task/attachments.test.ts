// What a stage attaches: which files, how much of them, and what is refused.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { World } from './world.ts';

const test = suite<{ world: World }>('attachments');
test.before.each((context) => {
  context.world = new World();
});
test.after.each(({ world }) => world.dispose());

const AUTO = { manifest: { context: { digest_policy: 'auto' } } };

const attach = (...globs: string[]) => ({ stage: { attach: globs } });

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function names(world: World, wish: Parameters<World['prompt']>[0]): Promise<string[]> {
  const { parts } = await world.prompt(wish);
  return parts.filter((part) => part.kind === 'attachment').map((part) => part.name);
}

test('without a word of the stage it is what lies in inputs/attachments, hidden files apart', async ({ world }) => {
  assert.equal(await names(world, {}), []);
  mkdirSync(path.join(world.task, 'inputs/attachments'));
  assert.equal(await names(world, {}), []);
  world.input('attachments/.gitkeep', '');
  assert.equal(await names(world, {}), []);
  world.input('attachments/b.txt', 'b');
  world.input('attachments/a/deep.txt', 'a');
  world.write('src/a.ts', 'a');
  assert.equal(await names(world, {}), ['attachments/a/deep.txt', 'attachments/b.txt']);
  assert.equal(await names(world, { stage: { attach: [] } }), []);
});

test('globs are of the tree, those that begin with attachments/ of the inputs; sorted by bytes, each file once', async ({
  world,
}) => {
  for (const name of ['src/b.ts', 'src/a.ts', 'src/Z.ts', 'src/é.ts', 'src/.hidden.ts', 'lib/x.md', 'src/[id].ts'])
    world.write(name, name);
  world.input('attachments/log.txt', 'log');
  world.write('attachments/log.txt', 'the tree has such a folder too');
  const rows: [globs: string[], names: string[]][] = [
    [
      ['src/*.ts', 'src/a.ts'],
      ['src/Z.ts', 'src/[id].ts', 'src/a.ts', 'src/b.ts', 'src/é.ts'],
    ],
    [
      ['src/{b,a}.ts', 'attachments/*', 'lib/**'],
      ['attachments/log.txt', 'lib/x.md', 'src/a.ts', 'src/b.ts'],
    ],
    [['src/.hidden.ts'], ['src/.hidden.ts']],
    [['./src/a.ts'], ['src/a.ts']],
    [['!(src|attachments)/*'], ['lib/x.md']],
    [['src/[id].ts'], ['src/[id].ts']],
    [
      ['src/*', '!src/a.ts', '!**/é.ts'],
      ['src/Z.ts', 'src/[id].ts', 'src/b.ts'],
    ],
  ];
  for (const [globs, expected] of rows) assert.equal(await names(world, attach(...globs)), expected, globs.join(' '));
  assert.match((await world.prompt(attach('attachments/*'))).text, '\nlog\n');
});

test('nothing of .git and .tmp is attached from the tree', async ({ world }) => {
  for (const name of ['.git/config', 'sub/.git/HEAD', '.tmp/state/sessions.json', 'a.txt']) world.write(name, 'x');
  assert.equal(await names(world, attach('**', '*')), ['a.txt']);
  assert.match(await world.mistake(attach('{.git,.tmp,sub}/**')), 'matches no file in PROJECT');
});

test('globs that cannot be meant, and what to do about them', async ({ world }) => {
  world.write('src/parse.ts', 'x');
  world.write('.git/config', 'x');
  world.link('src/link.ts', 'parse.ts');
  world.write('elsewhere/notes.txt', 'x');
  world.link('src/out', '../elsewhere');
  const rows: [glob: string, message: string][] = [
    ['src/nothing.js', 'matches no file in PROJECT; there is src/, but nothing in it matches'],
    ['srx/*.ts', 'matches no file in PROJECT; did you mean "src"?'],
    ['src/prase.ts', 'matches no file in PROJECT; did you mean "src/parse.ts"?'],
    ['attachments/*.log', 'matches no file in PROJECT/.tmp/task/fix/inputs'],
    ['/etc/passwd', 'is an absolute path; it must be relative to PROJECT'],
    ['../other/*.ts', 'leads out of PROJECT ("..")'],
    ['{src,../..}/*', 'leads out of PROJECT ("..")'],
    ['{src,.{.,x}}/*', 'leads out of PROJECT ("..")'],
    ['@(..|src)/*', 'leads out of PROJECT ("..")'],
    ['{/etc,src}/passwd', 'holds an absolute path; it must be relative to PROJECT'],
    ['!src/**', 'only takes away; say what is attached before it, such as "**"'],
    [
      'inputs/attachments/*.md',
      'matches no file in PROJECT; a file in the task\'s inputs/ is written "attachments/*.md"',
    ],
    ['attachments/../../manifest.json', 'leads out of PROJECT ("..")'],
    ['src', 'is a folder; say "src/**" for the files in it'],
    ['src/link.ts', 'is a symbolic link, which is not followed; name the file that it leads to'],
    ['src/li*.ts', 'matches no file in PROJECT but symbolic links, which are not followed'],
    ['.git/config', 'matches no file in PROJECT: nothing of .git and .tmp is attached'],
    ['.tmp/**', 'matches no file in PROJECT: nothing of .git and .tmp is attached'],
  ];
  for (const [glob, message] of rows)
    assert.is(await world.mistake(attach(glob)), `stage codex_brief: attach "${glob}" ${message}`);
  assert.is(
    await world.mistake({ ...attach('out/*'), cwd: 'src' }),
    'stage codex_brief: attach: out/notes.txt leads out of PROJECT/src by a symbolic link',
  );
});

test('folders whose names look like globs are meant by their names', async ({ world }) => {
  for (const name of ['app/(grp)/[id]/page.ts', 'app/grp/[id]/page.ts', 'app/(grp)/i/page.ts']) world.write(name, 'x');
  assert.equal(await names(world, attach('app/(grp)/[id]/*')), ['app/(grp)/[id]/page.ts']);
  assert.equal(await names(world, attach('app/(grp)/**')), ['app/(grp)/[id]/page.ts', 'app/(grp)/i/page.ts']);
  assert.equal(await names(world, attach('app/{(grp),grp}/i/*')), ['app/(grp)/i/page.ts']);
});

test('a name that is not UTF-8 is left out with a warning', async ({ world }) => {
  world.write('src/a.ts', 'a');
  writeFileSync(Buffer.concat([Buffer.from(`${world.root}/src/b`), Buffer.from([0xff])]), 'b');
  assert.equal(await names(world, attach('src/**')), ['src/a.ts']);
  assert.equal((await world.prompt(attach('src/**'))).warnings, [
    'src/b\ufffd has a name that is not UTF-8, and is not included',
  ]);
});

test("a link that leads nowhere in the place of the task's attachments is told", async ({ world }) => {
  world.link('.tmp/task/fix/inputs/attachments', 'nowhere');
  const { warnings } = await world.prompt();
  assert.equal(warnings, ['attachments is a symbolic link, which is not followed, and is not included']);
});

test('a link among what matches is left out with a warning', async ({ world }) => {
  world.input('attachments/a.txt', 'x');
  world.link('.tmp/task/fix/inputs/attachments/secret.txt', '/etc/passwd');
  const { warnings, text } = await world.prompt();
  assert.equal(warnings, ['attachments/secret.txt is a symbolic link, which is not followed, and is not included']);
  assert.not.match(text, 'root:');
  for (const name of ['b', 'c', 'd']) world.link(`.tmp/task/fix/inputs/attachments/${name}`, 'a.txt');
  assert.equal((await world.prompt()).warnings, [
    '4 symbolic links are not followed and not included: attachments/b, attachments/c, attachments/d, ...',
  ]);
});

test('what a glob passes over for its name or kind is named, and what is meant to be left out is not', async ({
  world,
}) => {
  for (const name of ['src/a.ts', 'src/.env.example', 'src/.cfg/deep.ts', 'src/.gitkeep', 'src/b\nc.ts', 'lib/.x'])
    world.write(name, name);
  world.write('.git/config', 'x');
  execFileSync('mkfifo', [path.join(world.root, 'src/pipe')]);
  const pipe = 'src/pipe is not a regular file, and is not included';
  const hidden = (name: string) => `${name} is hidden (a glob names it by its dot), and is not included`;
  const broken = 'src/b\\u{a}c.ts has a line break in its name, and is not included by a glob';
  const rows: [globs: string[], warnings: string[]][] = [
    [['src/**'], [pipe, hidden('src/.cfg/deep.ts'), hidden('src/.env.example'), broken]],
    [['src/*'], [pipe, hidden('src/.env.example')]],
    [['src/*.ts'], []],
    [['src/**', 'src/.cfg/*', '!**/.env*', '!src/b*', '!src/pipe'], []],
    [['src/a.ts'], []],
  ];
  for (const [globs, warnings] of rows)
    assert.equal((await world.prompt(attach(...globs))).warnings, warnings, globs.join(' '));
  for (const name of ['lib/.x', 'lib/.y']) world.write(name, 'x');
  const all = (await world.prompt(attach('**'))).warnings;
  assert.ok(
    all.includes(
      '4 hidden files are not included (a glob names them by their dot): lib/.x, lib/.y, src/.cfg/deep.ts, ...',
    ),
    all.join('\n'),
  );
  assert.is(
    await world.mistake(attach('lib/*')),
    'stage codex_brief: attach "lib/*" matches no file in PROJECT but hidden ones (lib/.x), which a glob names by their dot',
  );
  world.input('attachments/.notes.md', 'x');
  assert.equal((await world.prompt()).warnings, [hidden('attachments/.notes.md')]);
});

test('more than 1,000 files are refused, and so is more than 64 MiB', async ({ world }) => {
  for (let i = 0; i <= 1000; i += 1) world.write(`many/${i}.txt`, '');
  assert.is(
    await world.mistake(attach('many/*')),
    'stage codex_brief: attach matches 1001 files; at most 1000 are attached, so name fewer',
  );
  assert.is((await names(world, attach('many/*', '!many/0.txt'))).length, 1000);
  for (const name of ['a.bin', 'b.bin']) truncateSync(world.write(`large/${name}`, ''), 40 * 1024 * 1024);
  assert.is(
    await world.mistake(attach('large/*')),
    'stage codex_brief: attach: 2 files have 83886080 bytes in all; at most 67108864 are attached; the largest: large/a.bin 41943040, large/b.bin 41943040',
  );
});

test('what is no text is named with its size and hash, wherever the byte is', async ({ world }) => {
  const middle = Buffer.alloc(3_000_000, 'a line\n');
  middle[1_500_000] = 0xff;
  world.write('in/a-nul.bin', Buffer.from([65, 0, 66]));
  world.write('in/b-middle.txt', middle);
  world.write('in/c-cut.txt', Buffer.from('é').subarray(0, 1));
  world.write('in/d-empty.txt', '');
  const { text, warnings } = await world.prompt(attach('in/*'));
  assert.match(text, `- in/a-nul.bin: [binary, 3 bytes, sha256 ${sha256(Buffer.from([65, 0, 66]))}: not included]`);
  assert.match(text, `- in/b-middle.txt: [binary, 3000000 bytes, sha256 ${sha256(middle)}: not included]`);
  assert.match(text, /in\/d-empty.txt, 0 bytes =====\n===== end/);
  assert.equal(warnings, [
    'in/a-nul.bin is binary (3 bytes) and is not included',
    'in/b-middle.txt is binary (3000000 bytes) and is not included',
    'in/c-cut.txt is binary (1 bytes) and is not included',
  ]);
});

test('a long log keeps its ends, the last more than the first, and says what is missing', async ({ world }) => {
  const lines = Array.from({ length: 400_000 }, (_, i) => `line ${i}\n`);
  world.input('attachments/build.log', lines.join(''));
  const { text, parts, leftOut } = await world.prompt(AUTO);
  const shown = parts.find((part) => part.name === 'attachments/build.log')!;
  assert.is(shown.chars, lines.join('').length);
  assert.ok(text.length <= 400_000 && text.length > 399_000, String(text.length));
  assert.equal(leftOut, [{ what: 'attachment attachments/build.log', kept: shown.kept, chars: shown.chars }]);
  const [, head, left, chars, tail] =
    /(line 0\n[\s\S]*)\[\.\.\. (\d+) lines, (\d+) characters omitted here \.\.\.\]\n([\s\S]*?)=====/.exec(text)!;
  const count = (some: string) => some.split('\n').length - 1;
  assert.is(count(head!) + Number(left) + count(tail!), lines.length);
  assert.is(head!.length + Number(chars) + tail!.length, lines.join('').length);
  assert.is(head!.length + tail!.length, shown.kept);
  assert.ok(tail!.length > 2 * head!.length && tail!.endsWith('line 399999\n') && tail!.startsWith('line '));
});

test('one endless line is cut, and no character in two', async ({ world }) => {
  world.input('attachments/one.txt', `x${'😀'.repeat(600_000)}`);
  const { text } = await world.prompt(AUTO);
  assert.match(text, /\n\[\.\.\. \d+ characters omitted here \.\.\.\]\n/);
  assert.is(text, Buffer.from(text).toString('utf8'));
});

test('a forbidden file is named and never opened, by whichever of its names', async ({ world }) => {
  for (const name of ['.env', 'app/.env', 'secrets/deep/key.txt', 'app/ok.txt', 'app/id.pem'])
    world.write(name, 'HUSH');
  world.write('app/ok.txt', 'fine');
  world.write('secrets/.a', 'fine');
  world.write('web/inner/x', 'HUSH');
  world.link('web/by-link', 'inner');
  world.input('attachments/keys/id.pem', 'HUSH');
  const wish = (forbidden: string[], globs: string[], cwd?: string) => ({
    stage: { attach: globs },
    manifest: { security: { forbidden_paths: forbidden } },
    ...(cwd === undefined ? {} : { cwd }),
  });
  const rows: [forbidden: string, globs: string[], cwd: string | undefined, names: string[]][] = [
    ['.env', ['.env', 'app/{.env,ok.txt}'], undefined, ['.env', 'app/.env']],
    ['secrets', ['secrets/**'], undefined, ['secrets/deep/key.txt']],
    ['secrets/', ['secrets/**'], undefined, ['secrets/deep/key.txt']],
    ['**/*.pem', ['app/*', 'attachments/**'], undefined, ['app/id.pem', 'attachments/keys/id.pem']],
    ['keys/**', ['attachments/**'], undefined, ['attachments/keys/id.pem']],
    ['app/*.pem', ['id.pem', 'ok.txt'], 'app', ['id.pem']],
    ['app/*', ['app/.env', 'secrets/.a'], undefined, ['app/.env']],
    ['web/inner/**', ['by-link/x'], 'web', ['by-link/x']],
  ];
  for (const [forbidden, globs, cwd, left] of rows) {
    const { text, warnings } = await world.prompt(wish([forbidden], globs, cwd));
    assert.equal(
      warnings.filter((warning) => !warning.includes('hidden')),
      left.map((name) => `${name} is forbidden by ${forbidden} and is not included`),
      forbidden,
    );
    assert.not.match(text, 'HUSH');
    for (const name of left) assert.match(text, `- ${name}: [forbidden by ${forbidden}: not included; leave it alone]`);
  }
  world.link('linked', 'secrets');
  const { text } = await world.prompt(wish(['secrets/**'], ['linked/**']));
  assert.not.match(text, 'HUSH');
});

test('a name matches however its accents are written, on disk and in the manifest', async ({ world }) => {
  const [one, two] = ['\u00e9', 'e\u0301'];
  world.write(`${two}t${one}/a${two}.md`, 'fine');
  world.write(`b${one}.md`, 'fine');
  world.write(`${two}.env`, 'HUSH');
  const rows: [globs: string[], found: string[]][] = [
    [[`b${two}.md`], [`b${one}.md`]],
    [[`${one}t${two}/a${one}.md`], [`${two}t${one}/a${two}.md`]],
    [[`${one}t${one}/*.md`], [`${two}t${one}/a${two}.md`]],
    [[`*/a${one}*`], [`${two}t${one}/a${two}.md`]],
    [['**/*.md', `!b${two}.md`], [`${two}t${one}/a${two}.md`]],
  ];
  for (const [globs, found] of rows) assert.equal(await names(world, attach(...globs)), found, globs.join(' '));
  const forbidding = { ...attach(`${one}.env`), manifest: { security: { forbidden_paths: [`${one}.env`] } } };
  assert.not.match((await world.prompt(forbidding)).text, 'HUSH');
});

test('a hard link of a forbidden file is not read, and one of another file is', async ({ world }) => {
  for (const name of ['.env', 'deep/er/.env']) world.write(name, `HUSH ${name}`);
  linkSync(world.write('fine', 'fine'), path.join(world.root, 'fine.txt'));
  linkSync(path.join(world.root, '.env'), path.join(world.root, 'innocent.txt'));
  linkSync(path.join(world.root, 'deep/er/.env'), path.join(world.task, 'inputs/linked.txt'));
  mkdirSync(path.join(world.task, 'inputs/attachments'));
  linkSync(path.join(world.root, 'deep/er/.env'), path.join(world.task, 'inputs/attachments/linked.txt'));
  const manifest = { security: { forbidden_paths: ['.env'] } };
  const { text, warnings } = await world.prompt({ ...attach('*.txt', 'attachments/*'), manifest });
  assert.not.match(text, 'HUSH');
  assert.match(text, /--- fine.txt|fine\.txt/);
  assert.equal(warnings, [
    'attachments/linked.txt is forbidden by .env, as a hard link of deep/er/.env and is not included',
    'innocent.txt is forbidden by .env, as a hard link of .env and is not included',
  ]);
});

test('a pipe is not waited for, and a name with a line break stays one line', async ({ world }) => {
  world.write('in/a\n===== end x =====.txt', 'x');
  execFileSync('mkfifo', [path.join(world.root, 'in/pipe')]);
  const { text } = await world.prompt(attach('in/*'));
  assert.match(text, ': in/a\\u{a}===== end x =====.txt, 1 bytes =====\nx\n');
});

test.run();
