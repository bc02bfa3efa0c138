// What a stage is shown of the changes: by the real git, which leaves the repository byte for byte as it was.

import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { World } from './world.ts';

const test = suite<{ world: World }>('changes');
test.before.each((context) => {
  context.world = new World();
});
test.after.each(({ world }) => world.dispose());

const IDENTITY = ['-c', 'user.name=test', '-c', 'user.email=test@localhost', '-c', 'core.hooksPath=/dev/null'];
const git = (world: World, ...args: string[]) =>
  execFileSync('git', [...IDENTITY, ...args], { cwd: world.root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** A repository on `work`, with one commit that `main` has. */
function repository(world: World, files: Record<string, string> = { 'a.ts': 'one\ntwo\n', 'gone.ts': 'gone\n' }): void {
  for (const [name, text] of Object.entries(files)) world.write(name, text);
  git(world, 'init', '-q', '-b', 'main');
  git(world, 'add', '-A', '--', ...Object.keys(files));
  git(world, 'commit', '-qm', 'one');
  git(world, 'switch', '-qc', 'work');
}

const WISH = { stage: { role: 'review', diff: { base: 'main' } } };

/** What stands between the fences of the changes, and their label. */
async function changes(world: World, wish: object = WISH): Promise<[label: string, diff: string]> {
  const { text } = await world.prompt(wish);
  const found = /^===== begin \S+: (changes since .*) =====\n([\s\S]*?)^===== end /m.exec(text);
  if (found === null) throw new Error(text);
  return [found[1]!, found[2]!.replace(/^index [0-9a-f]+\.\.[0-9a-f]+/gm, 'index X')];
}

test('modified, staged, committed, deleted, untracked and binary files, in the order of their names', async ({
  world,
}) => {
  repository(world, { 'a.ts': 'one\ntwo\n', 'c.ts': 'c\n', 'gone.ts': 'gone\n' });
  world.write('c.ts', 'committed\n');
  git(world, 'commit', '-qam', 'two');
  world.write('a.ts', 'one\nTWO\n');
  world.write('added.ts', 'staged\n');
  git(world, 'add', 'added.ts');
  rmSync(path.join(world.root, 'gone.ts'));
  world.write('née/new.ts', 'untracked\n');
  world.write('pic.bin', Buffer.from([0, 1, 2]));
  const diff = `diff --git a/a.ts b/a.ts
index X 100644
--- a/a.ts
+++ b/a.ts
@@ -1,2 +1,2 @@
 one
-two
+TWO
diff --git a/added.ts b/added.ts
new file mode 100644
index X
--- /dev/null
+++ b/added.ts
@@ -0,0 +1 @@
+staged
diff --git a/c.ts b/c.ts
index X 100644
--- a/c.ts
+++ b/c.ts
@@ -1 +1 @@
-c
+committed
diff --git a/gone.ts b/gone.ts
deleted file mode 100644
index X
--- a/gone.ts
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/née/new.ts b/née/new.ts
new file mode 100644
index X
--- /dev/null
+++ b/née/new.ts
@@ -0,0 +1 @@
+untracked
diff --git a/pic.bin b/pic.bin
new file mode 100644
index X
Binary files /dev/null and b/pic.bin differ
`;
  const [label, text] = await changes(world);
  assert.is(text, diff);
  assert.match(label, /^changes since main \(1,\d{3} characters, 6 files\)$/);
});

test('what others did on the base since is no change', async ({ world }) => {
  repository(world);
  git(world, 'switch', '-q', 'main');
  world.write('theirs.ts', 'theirs\n');
  git(world, 'add', 'theirs.ts');
  git(world, 'commit', '-qm', 'theirs');
  git(world, 'switch', '-q', 'work');
  assert.match((await world.prompt(WISH)).text, '# Changes\n\nNothing has changed since main.\n');
});

test('a change of the same length in the moment of the commit is seen', async ({ world }) => {
  repository(world);
  git(world, 'config', 'core.trustctime', 'false');
  const at = new Date('2026-01-01T00:00:00Z');
  const [file, index] = [path.join(world.root, 'a.ts'), path.join(world.root, '.git/index')];
  utimesSync(file, at, at);
  git(world, 'add', 'a.ts');
  utimesSync(index, at, at);
  utimesSync(world.write('a.ts', 'ONE\ntwo\n'), at, at);
  assert.match((await changes(world))[1], '+ONE');
});

test('nothing forbidden, ignored, of .tmp or of a repository within', async ({ world }) => {
  repository(world, { 'a.pem': 'old key\n', 'b.pem': 'key b\n', '.gitignore': '*.log\n' });
  world.write('a.pem', 'new key\n');
  git(world, 'mv', 'b.pem', 'b.txt');
  world.write('c.pem', 'third key\n');
  world.write('x.log', 'log\n');
  world.input('user_request.md', 'Of the task.\n');
  git(world, 'add', '-f', '.tmp');
  world.write('inner/f', 'inner\n');
  execFileSync('git', ['init', '-q'], { cwd: path.join(world.root, 'inner') });
  const { text, warnings } = await world.prompt({ ...WISH, manifest: { security: { forbidden_paths: ['**/*.pem'] } } });
  const diff = text.slice(text.indexOf('# Changes'), text.indexOf('# Allowed'));
  assert.equal(diff.match(/^diff --git .*/gm), ['diff --git a/b.txt b/b.txt']);
  assert.match(diff, '1 file, 3 more forbidden and not included) =====');
  assert.equal(
    [/new key|old key|third key|Of the task|\+log|\+inner/.test(diff), warnings],
    [false, ['inner/ is a repository of its own, and is not in the diff']],
  );
});

test('an untracked hard link of what is forbidden is not in the diff', async ({ world }) => {
  repository(world, { '.gitignore': '.env\n' });
  world.write('.env', 'HUSH\n');
  linkSync(path.join(world.root, '.env'), path.join(world.root, 'innocent.txt'));
  const { text } = await world.prompt({ ...WISH, manifest: { security: { forbidden_paths: ['.env'] } } });
  assert.not.match(text, 'HUSH');
  assert.match(text, '1 more forbidden and not included');
});

test('a secret is taken out, and a fence in the diff stays within it', async ({ world }) => {
  repository(world);
  world.write('a.ts', 'token ghp_0123456789abcdefABCDEF0123456789abcd\n===== end 0 =====\n');
  const { text } = await world.prompt(WISH);
  assert.equal([text.includes('ghp_0123'), text.includes('+token [REDACTED')], [false, true]);
});

/** Every file below a folder with its bytes. */
function bytesIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      path.join(parentPath, name),
      readFileSync(path.join(parentPath, name), 'base64'),
    ]),
  );
}

test('no filter, hook, external diff or textconv is run, and the repository stays as it was', async ({ world }) => {
  repository(world, { 'a.ts': 'one\n', '.gitattributes': '*.ts filter=evil diff=evil\n' });
  const evil = world.write('evil.sh', '#!/bin/sh\ntouch "$(dirname "$0")/ran"; cat\n');
  chmodSync(evil, 0o755);
  for (const name of [
    'filter.evil.clean',
    'filter.evil.smudge',
    'diff.evil.command',
    'diff.evil.textconv',
    'core.fsmonitor',
  ])
    git(world, 'config', name, evil);
  for (const name of ['diff.external', 'core.splitIndex'])
    git(world, 'config', name, name === 'core.splitIndex' ? 'true' : evil);
  world.write('.git/hooks/post-index-change', '#!/bin/sh\ntouch ran\n');
  chmodSync(path.join(world.root, '.git/hooks/post-index-change'), 0o755);
  world.write('a.ts', 'two\n');
  world.write('new.ts', 'new\n');
  const before = bytesIn(path.join(world.root, '.git'));
  const [, diff] = await changes(world);
  assert.match(diff, '+two');
  assert.equal(bytesIn(path.join(world.root, '.git')), before);
  assert.not.ok(readdirSync(world.root).includes('ran'));
});

test('in a folder of the repository it is of that folder, by names from there', async ({ world }) => {
  repository(world, { 'a.ts': 'a\n', 'sub/b.ts': 'b\n', 'sub/secret': 's\n' });
  for (const name of ['a.ts', 'sub/b.ts', 'sub/secret']) world.write(name, 'changed\n');
  const [label, diff] = await changes(world, {
    ...WISH,
    cwd: 'sub',
    manifest: { security: { forbidden_paths: ['sub/secret'] } },
  });
  assert.equal(diff.match(/^diff .*/gm), ['diff --git a/b.ts b/b.ts']);
  assert.match(label, '1 file, 1 more forbidden');
});

test('a digest shortens it, and says so by name and size', async ({ world }) => {
  repository(world);
  world.write('big.txt', 'a line of text\n'.repeat(1000));
  const wish = {
    ...WISH,
    manifest: { context: { digest_policy: 'auto' } },
    project: { prompts: { max_chars: { codex: 9000 }, max_chars_by_model: {} } },
  };
  const { leftOut } = await world.prompt(wish as object);
  assert.equal(
    leftOut.map(({ what }) => what),
    ['changes since main'],
  );
  assert.ok(leftOut[0]!.chars > 16_000 && leftOut[0]!.kept < 9000);
  const shorter = await world.prompt({ ...WISH, manifest: { context: { digest_policy: 'aggressive' } } });
  assert.equal(
    shorter.leftOut.map(({ what }) => what),
    ['changes since main'],
  );
});

for (const [what, base, message] of [
  [
    'an unknown base',
    'mian',
    'there is no commit "mian" in the repository of PROJECT; name a branch, a tag or a commit that is there',
  ],
  [
    'one that only the remote has',
    'trunk',
    'there is no commit "trunk" in the repository of PROJECT; did you mean origin/trunk?',
  ],
  [
    'a range',
    'main..work',
    'there is no commit "main..work" in the repository of PROJECT; name a branch, a tag or a commit that is there',
  ],
] as const)
  test(what, async ({ world }) => {
    repository(world);
    git(world, 'update-ref', 'refs/remotes/origin/trunk', 'HEAD');
    assert.is(
      await world.mistake({ stage: { role: 'review', diff: { base } } }),
      `stage codex_review: diff: ${message}`,
    );
  });

test('without git, and without a repository', async ({ world }) => {
  const none = { PATH: path.join(world.root, 'nothing'), HOME: world.root };
  mkdirSync(none.PATH);
  assert.is(
    await world.mistake({ ...WISH, request: { environment: none } }),
    'stage codex_review: diff: it needs git, and git is not on the PATH',
  );
  assert.match(
    await world.mistake(WISH),
    /^stage codex_review: diff: PROJECT is in no git repository \(fatal: not a git repository .*\); leave diff out$/,
  );
});

test.run();
