// What travels to a worker: the commit and the inputs that git does not have; all else is refused before anything is paid.

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { originsOf, remoteMistake } from '../../../fleet/travel/origin.ts';
import { mayBeSecret } from '../../../fleet/travel/pack.ts';
import { hideUrls, withoutSecrets } from '../../../fleet/travel/refusal.ts';
import { contextIn } from '../../rig/run-settings.ts';
import { ANY_ANSWER } from '../../rig/task-run.ts';
import { contentOf, refusalOf, Travelling } from '../../rig/travelling.ts';

const test = suite<{ travelling: Travelling }>('a task is packed');
test.before.each(async (context) => {
  context.travelling = await Travelling.open();
});
test.after.each(({ travelling }) => travelling.rig.dispose());

const stage = { tool: 'gemini', role: 'impl', id: 'do', ...ANY_ANSWER };

test('the remote, the commit, the manifest and the inputs, and nothing else', async ({ travelling }) => {
  const { rig, remote } = travelling;
  rig.write('.tmp/task/fix/inputs/user_request.md', 'Please.\n');
  rig.write('.tmp/task/fix/inputs/prompt/do.md', 'of an earlier run');
  rig.write('.tmp/task/fix/outputs/old.txt', 'of no run');
  const { packed, warnings } = await travelling.pack();
  assert.equal([packed.task, packed.remote, packed.commit], ['fix', remote, travelling.git('rev-parse', 'HEAD')]);
  assert.is(packed.folder, '.tmp/task/fix');
  const { task, tree, patch } = contentOf(packed);
  assert.equal(Object.keys(task).sort(), ['inputs/user_request.md', 'manifest.json']);
  assert.equal([Object.keys(tree), patch, warnings], [[], null, []]);
});

test('what the manifest names and git ignores: a template with its parts, rules, a CLI, an attachment', async ({
  travelling,
}) => {
  const { rig } = travelling;
  rig.write('.gitignore', '.tmp/\nbuilt/\ntollgate.yaml\n');
  travelling.commit('ignore');
  travelling.git('push', '-q');
  rig.write(
    'tollgate.yaml',
    'rules: built/rules.md\nroles: {impl: {template: built/impl.md}}\ntools: {mine: {binary: built/mine}}\n',
  );
  rig.write('built/rules.md', 'Be kind.\n');
  rig.write('built/impl.md', 'Do it. {{> more.md}}\n');
  rig.write('built/more.md', 'More.\n');
  rig.write('built/mine', '#!/bin/sh\n');
  rig.write('built/log.txt', 'a log\n');
  rig.write('built/unnamed.txt', 'of no use\n');
  rig.write('.tmp/task/fix/own.md', 'Mine. {{> part}}\n');
  rig.write('.tmp/task/fix/part.md', 'A part.\n');
  rig.write('.tmp/task/fix/notes.md', 'of no use\n');
  const own = { ...stage, id: 'own', prompt: 'own.md' };
  travelling.manifest({ stages: [{ ...stage, attach: ['built/log.txt', 'code.txt'] }, own] });
  const { task, tree } = contentOf((await travelling.pack({ trustWorkspace: true })).packed);
  assert.equal(Object.keys(task).sort(), ['manifest.json', 'own.md', 'part.md']);
  assert.equal(Object.keys(tree).sort(), [
    ...['built/impl.md', 'built/log.txt', 'built/mine', 'built/more.md', 'built/rules.md', 'tollgate.yaml'],
  ]);
});

test('the tasks of one command travel with one commit; the next command finds the new one', async ({ travelling }) => {
  const originOf = originsOf(contextIn(travelling.rig));
  const first = await travelling.pack({ originOf });
  travelling.commit('of another process');
  travelling.git('push', '-q');
  const second = await travelling.pack({ originOf });
  assert.is(second.packed.commit, first.packed.commit);
  assert.is((await travelling.pack()).packed.commit, travelling.git('rev-parse', 'HEAD'));
  assert.is.not(first.packed.commit, travelling.git('rev-parse', 'HEAD'));
});

test('uncommitted changes are refused, and named; with --patch they travel', async ({ travelling }) => {
  const { rig } = travelling;
  rig.write('code.txt', 'two\n');
  rig.write('new.bin', Buffer.from([0, 1, 255]));
  assert.match(
    await refusalOf(travelling.pack()),
    /has uncommitted changes \(code\.txt, new\.bin\); commit and push them, or use --patch/,
  );
  const { patch } = contentOf((await travelling.pack({ changes: 'patch' })).packed);
  const text = Buffer.from(patch!, 'base64').toString();
  assert.match(text, /^-one$/m);
  assert.match(text, /GIT binary patch/);
  assert.is(travelling.git('status', '--porcelain'), 'M code.txt\n?? new.bin');
});

test('no secret travels: not as a change, not as an input, and not in the URL', async ({ travelling }) => {
  const { rig } = travelling;
  rig.write('.env', 'KEY=hunter2\n');
  rig.write('code.txt', 'two\n');
  rig.write('deep/.env.local', 'KEY=hunter2\n');
  rig.write('.tmp/task/fix/inputs/attachments/.env', 'KEY=hunter2\n');
  travelling.git('add', '--force', '.env');
  travelling.git('remote', 'set-url', 'origin', 'https://jo:hunter2@example.com/a/b.git');
  const { packed, warnings } = await travelling.pack({ changes: 'patch' });
  const content = contentOf(packed);
  const patch = Buffer.from(content.patch!, 'base64').toString();
  assert.equal(patch.match(/^diff --git .*/gm), ['diff --git a/code.txt b/code.txt']);
  assert.equal(Object.keys(content.task), ['manifest.json']);
  assert.is(packed.remote, 'https://example.com/a/b.git');
  assert.equal(warnings.map((warning) => warning.split(' ')[0]).sort(), [
    '.env',
    'deep/.env.local',
    'inputs/attachments/.env',
  ]);
});

test('a forbidden file does not travel, even if it is staged', async ({ travelling }) => {
  travelling.manifest({ security: { forbidden_paths: ['keys/**'] } });
  travelling.rig.write('keys/one', 'hunter2\n');
  travelling.git('add', 'keys/one');
  const { packed, warnings } = await travelling.pack();
  assert.is(contentOf(packed).patch, null);
  assert.match(warnings.join(), 'keys/one is forbidden');
});

for (const [what, prepare, message] of [
  ['a repository without a commit', 'rm -rf .git && git init -q', /has no commit yet; commit, and push it/],
  ['no repository', 'rm -rf .git', /is in no git repository.*push it/],
  ['no remote', 'git remote remove origin', /has no remote .*git remote add origin URL/],
  ['a commit that is not pushed', 'git commit -q --allow-empty -m x', /is on no branch of the remote origin.*push it/],
  ['a relative remote', 'git remote set-url origin ../remote.git', /is a path relative to this folder/],
  ['a remote that runs a command', "git remote set-url origin 'ext::sh -c true'", /origin .*is refused/],
  [
    'a submodule',
    'git -c protocol.file.allow=always submodule --quiet add "$PWD/../remote.git" part && git commit -qam part && git push -q',
    /part of .* is a submodule, which a worker does not fetch/,
  ],
] as const)
  test(`refused: ${what}`, async ({ travelling }) => {
    const { rig } = travelling;
    execFileSync('sh', ['-c', prepare], { cwd: rig.project, env: rig.env });
    assert.match(await refusalOf(travelling.pack()), message);
  });

test('a manifest that reads outside of what travels is refused', async ({ travelling }) => {
  travelling.git('branch', 'side');
  travelling.git('checkout', '-q', 'side');
  travelling.git('commit', '-q', '--allow-empty', '-m', 'side');
  travelling.git('checkout', '-q', 'main');
  const rows = [
    ['a working folder beside the project', { cwd: '..' }, /cwd: "\.\." is outside of the project/],
    ['a session of this machine', { meta: { session_id: '00000000-0000-4000-8000-000000000001' } }, /meta\.session_id/],
    ['a template elsewhere', { stages: [{ ...stage, prompt: '../../../../p.md' }] }, /leads out of/],
    ['an attachment elsewhere', { stages: [{ ...stage, attach: ['../x.txt'] }] }, /attach/],
    [
      'a base that is not pushed',
      { stages: [{ ...stage, diff: { base: 'side' } }] },
      /the commit of side is on no branch/,
    ],
    [
      'a supervised task',
      { stages: [], supervise: { worker: { tool: 'codex' }, reasoner: { tool: 'gemini' } } },
      /supervise/,
    ],
  ] as const;
  for (const [what, manifest, message] of rows) {
    travelling.manifest(manifest);
    const refusal = await refusalOf(travelling.pack({ trustWorkspace: true }));
    assert.match(refusal, message, `${what}: ${refusal}`);
  }
  travelling.manifest({});
  travelling.rig.write('tollgate.yaml', 'tools: {other: {binary: ../mine}}\n');
  const refusal = await refusalOf(travelling.pack({ changes: 'patch', trustWorkspace: true }));
  assert.match(refusal, /tools\.other .* is outside/);
});

test('refused: an input that is a link out of the project', async ({ travelling }) => {
  const inputs = path.join(travelling.folder, 'inputs');
  mkdirSync(inputs);
  symlinkSync('/etc/hostname', path.join(inputs, 'more.txt'));
  assert.match(await refusalOf(travelling.pack()), /more\.txt leads out of .* by a symbolic link/);
});

test('refused: inputs above 5 MB, with the largest by name; a shared folder takes them', async ({ travelling }) => {
  const { rig } = travelling;
  rig.write('.tmp/task/fix/inputs/big.bin', randomBytes(6 * 1024 ** 2));
  rig.write('.tmp/task/fix/inputs/small.txt', 'small');
  const message = await refusalOf(travelling.pack());
  assert.match(
    message,
    /at most 5\.0 MB travel in the database; the largest: inputs\/big\.bin \(6\.0 MB\), .*--shared DIR/,
  );
  const shared = path.join(rig.root, 'shared');
  const { packed } = await travelling.pack({ shared });
  assert.is(path.dirname((packed.bundle as { shared: string }).shared), shared);
  const { folder } = await travelling.unpack(packed);
  assert.is(readFileSync(path.join(folder, 'inputs/big.bin')).length, 6 * 1024 ** 2);
});

test('a commit that only a tag or a request of the remote has is found there', async ({ travelling }) => {
  travelling.git('checkout', '-q', '--detach');
  travelling.git('commit', '-q', '--allow-empty', '-m', 'of a request');
  travelling.git('push', '-q', 'origin', 'HEAD:refs/pull/7/head');
  const { packed } = await travelling.pack();
  assert.is(packed.commit, travelling.git('rev-parse', 'HEAD'));
});

test('names and URLs that may hold a secret', () => {
  const secret = [
    '.env',
    'a/.env',
    '.env.local',
    'x.pem',
    '.npmrc',
    'a/id_rsa',
    '.codex/auth.json',
    'OAuth_creds.json',
  ];
  assert.equal(
    secret.filter((name) => !mayBeSecret(name)),
    [],
  );
  const plain = ['.env.example', 'a/.env.sample', 'environment.ts', 'src/auth.ts', 'my.env', 'keys/a.txt'];
  assert.equal(plain.filter(mayBeSecret), []);
  assert.is(withoutSecrets('https://token@h/x'), 'https://h/x');
  assert.is(withoutSecrets('ssh://git:pw@h/x'), 'ssh://git@h/x');
  assert.is(withoutSecrets('git@h:x/y.git'), 'git@h:x/y.git');
  assert.is(
    hideUrls("fatal: unable to access 'https://jo:pw@h/x/'"),
    "fatal: unable to access 'https://[REDACTED]@h/x/'",
  );
  const good = ['https://h/x', 'ssh://git@h:22/x', 'git@h:x/y.git', '/srv/x.git', 'file:///srv/x.git'];
  assert.equal(
    good.map(remoteMistake),
    good.map(() => null),
  );
  const bad = [
    '--upload-pack=x',
    '-x:y',
    'ext::sh',
    'ssh://-oProxyCommand=x/y',
    'https://-x',
    '../x',
    'x',
    'h:-x',
    'ftp://h/x',
  ];
  assert.equal(
    bad.filter((url) => remoteMistake(url) === null),
    [],
  );
});

test.run();
