// Which folders count as trusted: real paths, folders below, and never by a list that a checkout could have written.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  areTrustedTasks,
  isTrustedFolder,
  isTrustedProject,
  listTrusted,
  revokeFolder,
  trustFolder,
} from '../../state/trusted-folders.ts';

interface World {
  root: string;
  /** A git repository. */
  shop: string;
  environment: NodeJS.ProcessEnv;
}

const test = suite<World>('trusted folders');
test.before.each((world) => {
  world.root = realpathSync(mkdtempSync(path.join(tmpdir(), 'trust-')));
  world.shop = path.join(world.root, 'shop');
  mkdirSync(path.join(world.shop, '.git'), { recursive: true });
  mkdirSync(path.join(world.root, 'home'));
  world.environment = { HOME: path.join(world.root, 'home') };
});
test.after.each(({ root }) => rmSync(root, { recursive: true, force: true }));

const NOW = new Date('2026-01-02T03:04:05Z');

const made = (...parts: string[]): string => {
  const folder = path.join(...parts);
  mkdirSync(folder, { recursive: true });
  return folder;
};

const trust = (folder: string, environment: NodeJS.ProcessEnv): string => {
  const changed = trustFolder(folder, environment, NOW);
  return changed.how === 'changed' ? changed.folder : changed.message;
};

test('a folder is trusted until it is revoked, and none before', ({ shop, environment }) => {
  assert.is(isTrustedFolder(shop, environment), false);
  assert.is(trust(shop, environment), shop);
  assert.is(isTrustedFolder(shop, environment), true);
  assert.equal(
    listTrusted(environment).map(({ folder, state, trusted_at }) => [folder, state, trusted_at]),
    [[shop, 'trusted', NOW.toISOString()]],
  );
  assert.is(revokeFolder(shop, environment).how, 'changed');
  assert.is(isTrustedFolder(shop, environment), false);
  assert.equal(revokeFolder(shop, environment), {
    how: 'refused',
    message: `${shop} is not in the list of trusted folders`,
  });
});

test('it covers the folders below, and no other repository, sibling or parent', ({ root, shop, environment }) => {
  trust(shop, environment);
  const below = made(shop, 'a/b');
  const nested = made(shop, 'vendor/other');
  made(nested, '.git');
  const submodule = made(shop, 'sub');
  writeFileSync(path.join(submodule, '.git'), 'gitdir: ../.git/modules/sub\n');
  const folders = [below, nested, made(nested, 'deep'), submodule, made(root, 'shop2'), root];
  assert.equal(
    folders.map((folder) => isTrustedFolder(folder, environment)),
    [true, false, false, false, false, false],
  );
});

test('a link counts as the folder that it leads to', ({ root, shop, environment }) => {
  trust(shop, environment);
  symlinkSync(shop, path.join(root, 'link'));
  symlinkSync(made(root, 'stranger'), path.join(shop, 'out'));
  assert.is(isTrustedFolder(path.join(root, 'link'), environment), true);
  assert.is(isTrustedFolder(path.join(shop, 'out'), environment), false);
  assert.is(trust(path.join(root, 'link'), environment), shop);
});

test('another folder in its place is not trusted, and the list says so', ({ root, shop, environment }) => {
  trust(shop, environment);
  renameSync(shop, path.join(root, 'moved'));
  assert.is(listTrusted(environment)[0]!.state, 'missing');
  made(shop, '.git');
  assert.is(isTrustedFolder(shop, environment), false);
  assert.is(listTrusted(environment)[0]!.state, 'replaced');
  rmSync(shop, { recursive: true });
  symlinkSync(path.join(root, 'moved'), shop);
  assert.is(isTrustedFolder(shop, environment), false);
  assert.is(isTrustedFolder(path.join(root, 'moved'), environment), false);
});

const INSIDE: readonly [how: string, environment: (world: World) => NodeJS.ProcessEnv][] = [
  ['XDG_STATE_HOME in the checkout', ({ shop, environment }) => ({ ...environment, XDG_STATE_HOME: `${shop}/.state` })],
  ['HOME in the checkout', ({ shop }) => ({ HOME: made(shop, 'home') })],
  [
    'a link into the checkout',
    ({ shop, root, environment }) => {
      symlinkSync(made(shop, 'state'), path.join(made(root, 'home/.local'), 'state'));
      return environment;
    },
  ],
];

for (const [how, environmentOf] of INSIDE)
  test(`a list in the checkout itself counts for nothing: ${how}`, (world) => {
    const { shop, root } = world;
    const forged = { HOME: made(root, 'elsewhere') };
    trust(shop, forged);
    const environment = environmentOf(world);
    const base = environment.XDG_STATE_HOME ?? path.join(environment.HOME!, '.local/state');
    const list = made(base, 'tollgate/trusted');
    const [name] = readdirSync(path.join(forged.HOME, '.local/state/tollgate/trusted'));
    chmodSync(path.dirname(list), 0o700);
    chmodSync(list, 0o700);
    const text = readFileSync(path.join(forged.HOME, '.local/state/tollgate/trusted', name!));
    writeFileSync(path.join(list, name!), text, { mode: 0o600 });
    assert.is(listTrusted(environment).length, 1);
    assert.is(isTrustedFolder(shop, environment), false);
    assert.is(isTrustedFolder(made(shop, 'src'), environment), false);
    assert.match(trust(shop, environment), /holds the list of trusted folders itself/);
  });

test('a list that other users may write, or a link in the place of an entry, counts for nothing', ({
  shop,
  environment,
  root,
}) => {
  trust(shop, environment);
  const list = path.join(environment.HOME!, '.local/state/tollgate/trusted');
  const file = path.join(list, readdirSync(list)[0]!);
  for (const place of [list, file]) {
    const safe = place === list ? 0o700 : 0o600;
    chmodSync(place, safe | 0o022);
    assert.is(isTrustedFolder(shop, environment), false, place);
    chmodSync(place, safe);
  }
  assert.is(isTrustedFolder(shop, environment), true);
  renameSync(file, path.join(root, 'entry'));
  symlinkSync(path.join(root, 'entry'), file);
  assert.is(isTrustedFolder(shop, environment), false);
});

test('an entry that is no such entry trusts nothing', ({ shop, environment }) => {
  trust(shop, environment);
  const list = path.join(environment.HOME!, '.local/state/tollgate/trusted');
  const file = path.join(list, readdirSync(list)[0]!);
  for (const text of ['', '[]', 'null', '{"folder": 1}', `{"folder": ${JSON.stringify(shop)}}`]) {
    writeFileSync(file, text);
    assert.is(isTrustedFolder(shop, environment), false, text);
  }
});

test('folders that cannot be trusted, each with its reason', ({ root, environment }) => {
  const open = made(root, 'open');
  chmodSync(open, 0o777);
  assert.match(trust(open, environment), /can be written by every user/);
  assert.match(trust('/', environment), /is the root of the file system/);
  assert.match(trust(path.join(root, 'gone'), environment), /is not a folder that can be read/);
  assert.match(trust(environment.HOME!, environment), /holds the list of trusted folders itself/);
  assert.match(trust(made(root, 'x'), { HOME: path.join(root, 'no-home') }), /set HOME/);
  assert.is(existsSync(path.join(environment.HOME!, '.local/state/tollgate/trusted')), false);
});

test('a project counts with its root, and the path of a task with its own project', ({ root, shop, environment }) => {
  const src = made(shop, 'src');
  trust(src, environment);
  assert.equal([isTrustedFolder(src, environment), isTrustedProject(src, environment)], [true, false]);
  trust(shop, environment);
  assert.is(isTrustedProject(src, environment), true);
  const theirs = made(root, 'theirs/.tmp/task/fix');
  const ours = made(shop, 'tasks/fix');
  assert.is(areTrustedTasks(['fix'], shop, environment), true);
  assert.is(areTrustedTasks([ours], shop, environment), true);
  assert.is(areTrustedTasks(['fix', theirs], shop, environment), false);
  assert.is(areTrustedTasks([ours], path.join(root, 'theirs'), environment), false);
});

test.run();
