// Where a CLI is found when the PATH does not know it.

import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findCli } from '../../wrappers/cli-search.ts';
import { versionOfPackage } from '../../wrappers/cli-version.ts';
import { where } from '../rig/where-possible.ts';

const test = suite('cli search');
let home = '';
test.before.each(() => {
  home = mkdtempSync(path.join(tmpdir(), 'home-'));
  mkdirSync(path.join(home, 'project/deep'), { recursive: true });
});
test.after.each(() => rmSync(home, { recursive: true }));

function program(name: string): void {
  const file = path.join(home, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o755);
}

function find(environment: NodeJS.ProcessEnv = {}) {
  const cwd = path.join(home, 'project/deep');
  const found = findCli('an-agent-cli', { environment, home, cwd }, path.join(home, 'project'));
  return found && `${found.where} ${found.file.replace(home, '~')}`;
}

const HOMES: readonly [folder: string, environment?: NodeJS.ProcessEnv][] = [
  ['project/node_modules/.bin'],
  ['.npm-global/bin'],
  ['.local/bin'],
  ['bin'],
  ['.nvm/versions/node/v20.20.2/bin'],
  ['.local/share/fnm/aliases/default/bin'],
  ['.local/share/fnm/node-versions/v22.1.0/installation/bin'],
  ['.volta/bin'],
  ['.asdf/shims'],
  ['.local/share/mise/shims'],
  ['.local/share/pnpm'],
  ['.bun/bin'],
];

for (const [folder] of HOMES)
  test(`finds it in ~/${folder}`, () => {
    program(`${folder}/an-agent-cli`);
    assert.is(find(), `beside_path ~/${folder}/an-agent-cli`);
  });

test('nothing above the project is searched, nor a folder that others may write to', () => {
  program('node_modules/.bin/an-agent-cli');
  assert.is(find(), null);
  program('project/node_modules/.bin/an-agent-cli');
  chmodSync(path.join(home, 'project/node_modules/.bin'), 0o777);
  assert.is(find(), null);
});

where('root', test)('nor one of another user', () => {
  program('project/node_modules/.bin/an-agent-cli');
  chownSync(path.join(home, 'project/node_modules/.bin'), 65_534, 65_534);
  assert.is(find(), null);
});

for (const [place, isOfProject] of [
  ['project/node_modules/.bin', true],
  ['project/deep/tools', true],
  ['mine', false],
] as const)
  test(`what lies in ${place} is ${isOfProject ? '' : 'not '}the project's`, () => {
    program(`${place}/an-agent-cli`);
    const cwd = path.join(home, 'project/deep');
    const environment = { PATH: path.join(home, place) };
    const found = findCli(
      'an-agent-cli',
      { environment, home: path.join(home, 'me'), cwd },
      path.join(home, 'project'),
    );
    assert.is(found?.isOfProject, isOfProject);
  });

test("a link elsewhere that leads into the project is the project's, and all of a home that is one is the user's own", () => {
  program('project/evil');
  mkdirSync(path.join(home, 'mine'));
  symlinkSync(path.join(home, 'project/evil'), path.join(home, 'mine/an-agent-cli'));
  const environment = { PATH: path.join(home, 'mine') };
  const look = (root: string) => findCli('an-agent-cli', { environment, home, cwd: root }, root)?.isOfProject;
  assert.equal([look(path.join(home, 'project')), look(home)], [true, false]);
});

const NAMED: readonly [variable: string, inside: string][] = [
  ['npm_config_prefix', 'bin'],
  ['NVM_DIR', 'versions/node/v20.20.2/bin'],
  ['FNM_DIR', 'aliases/default/bin'],
  ['VOLTA_HOME', 'bin'],
  ['PNPM_HOME', '.'],
  ['BUN_INSTALL', 'bin'],
  ['HOMEBREW_PREFIX', 'bin'],
];

for (const [variable, inside] of NAMED)
  test(`finds it where ${variable} says`, () => {
    program(path.join('elsewhere', inside, 'an-agent-cli'));
    const file = path.join('~/elsewhere', inside, 'an-agent-cli');
    assert.is(find({ [variable]: path.join(home, 'elsewhere') }), `beside_path ${file}`);
  });

test('finds it under the prefix that .npmrc names', () => {
  program('tools/bin/an-agent-cli');
  writeFileSync(path.join(home, '.npmrc'), `registry=x\nprefix = ~/tools\n`);
  assert.is(find(), 'beside_path ~/tools/bin/an-agent-cli');
});

test('the newest Node of nvm comes first, by number', () => {
  for (const version of ['v9.0.0', 'v20.20.2', 'v20.3.0']) program(`.nvm/versions/node/${version}/bin/an-agent-cli`);
  assert.is(find(), 'beside_path ~/.nvm/versions/node/v20.20.2/bin/an-agent-cli');
});

test('what a PATH says of the working folder is passed over', () => {
  program('project/deep/an-agent-cli');
  program('project/deep/bin/an-agent-cli');
  assert.is(find({ PATH: ':.::bin:./bin:../deep:' }), null);
});

test('the PATH wins', () => {
  program('.local/bin/an-agent-cli');
  program('mine/an-agent-cli');
  assert.is(find({ PATH: `/nowhere:${home}/mine` }), 'on_path ~/mine/an-agent-cli');
});

test('a file that cannot be executed, or a folder, is not a program', () => {
  mkdirSync(path.join(home, '.local/bin/an-agent-cli'), { recursive: true });
  mkdirSync(path.join(home, 'bin'));
  writeFileSync(path.join(home, 'bin/an-agent-cli'), '');
  assert.is(find(), null);
});

test('the version is that of the package behind the link, and of no other package', () => {
  program('lib/node_modules/the-cli/dist/run.js');
  writeFileSync(path.join(home, 'lib/node_modules/the-cli/package.json'), '{"name": "the-cli", "version": "1.2.3"}');
  writeFileSync(path.join(home, 'lib/node_modules/the-cli/dist/package.json'), '{"type": "module"}');
  symlinkSync(path.join(home, 'lib/node_modules/the-cli/dist/run.js'), path.join(home, 'link'));
  assert.is(versionOfPackage(path.join(home, 'link'), 'the-cli'), '1.2.3');
  assert.is(versionOfPackage(path.join(home, 'link'), 'another'), null);
});

test.run();
