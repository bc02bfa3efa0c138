// tollgate tools add: a CLI of the catalogue is written below the others of tollgate.yaml, and the rest of the file stays as it is.

import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CATALOGUE } from '../../../state/project/catalogue.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('tollgate tools add');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: [] });
});
test.after.each(({ rig }) => rig.dispose());

const add = (rig: TestRig, ...words: string[]) => rig.run('tollgate', ['tools', 'add', ...words]);

const fileOf = (rig: TestRig): string => {
  const file = path.join(rig.project, 'tollgate.yaml');
  return existsSync(file) ? readFileSync(file, 'utf8') : '(none)';
};

async function list(rig: TestRig) {
  const { code, stdout, stderr } = await rig.run('tollgate', ['tools', '--json']);
  const { tools, catalogue } = JSON.parse(stdout) as { tools: Record<string, unknown>[]; catalogue: unknown };
  const rows = tools.filter(({ kind }) => kind === 'described');
  return { code, stderr, catalogue, rows: rows.map((row) => [row.tool, row.catalogue, row.tested]) };
}

test('without a file it makes one, and every row of the catalogue is sound', async ({ rig }) => {
  const names = Object.keys(CATALOGUE);
  for (const name of names) {
    const { code, stderr } = await add(rig, name);
    assert.equal([code, stderr], [0, '']);
  }
  const { code, stderr, rows, catalogue } = await list(rig);
  const tested = (name: string) => CATALOGUE[name]!.tested;
  assert.equal([code, stderr], [0, '']);
  assert.equal(rows.toSorted(), names.map((name) => [name, 'same', tested(name)]).toSorted());
  assert.equal(
    catalogue,
    names.map((tool) => ({ tool, tested: tested(tool) })),
  );
  assert.is(tested('agy'), null);
  const { stdout } = await rig.run('tollgate', ['tools']);
  assert.match(stdout, /^ {2}qwen +tested with 0\.24\.4, in tollgate\.yaml$/m);
  assert.match(stdout, /^ {2}agy +not tested, in tollgate\.yaml$/m);
});

test('what it prints names the file, the package and the call', async ({ rig }) => {
  const { stdout } = await add(rig, 'qwen');
  assert.match(stdout, /^qwen is described in \S+\/tollgate\.yaml now \(tested with 0\.24\.4\)\.\n/);
  assert.match(stdout, 'npm install -g @qwen-code/qwen-code');
  assert.match(stdout, 'tollgate call qwen "PROMPT" --trust-workspace');
  const { stdout: json } = await add(rig, 'qwen', '--json');
  const { tool, state, tested } = JSON.parse(json);
  assert.equal([tool, state, tested], ['qwen', 'present', '0.24.4']);
});

const FILES: [what: string, text: string, kept: (text: string) => boolean][] = [
  [
    'other rows and comments',
    '# mine\ntools: # of ours\n    # ask\n    ask: { binary: ./ask.sh }  # plain\n\nsessions: { rest_sec: 1 }',
    (text) =>
      text.includes('ask: { binary: ./ask.sh }  # plain\n\nsessions: { rest_sec: 1 }') && text.startsWith('# mine\n'),
  ],
  ['no tools', 'sessions: { rest_sec: 1 }', (text) => text.startsWith('sessions: { rest_sec: 1 }\ntools:\n')],
  ['lines of another system', 'tools:\r\n  ask: { binary: ./ask.sh }\r\n', (text) => text.includes('ask: { binary')],
];
for (const [what, text, isKept] of FILES)
  test(`it adds to a file with ${what}`, async ({ rig }) => {
    rig.write('tollgate.yaml', text);
    const { code, stderr } = await add(rig, 'opencode');
    assert.equal([code, stderr], [0, '']);
    const { rows } = await list(rig);
    assert.ok(rows.some(([name, state]) => name === 'opencode' && state === 'same'));
    assert.is(rows.length, text.includes('ask:') ? 2 : 1);
    assert.ok(isKept(fileOf(rig)), fileOf(rig));
  });

const REFUSED: [what: string, text: string, name: string, told: RegExp][] = [
  [
    'another description of that name',
    'tools:\n  qwen: { binary: ./q.sh }\n',
    'qwen',
    /tollgate\.yaml:2 describes qwen itself, and that counts/,
  ],
  ['a wrong one of that name', 'tools:\n  qwen: { binry: ./q.sh }\n', 'qwen', /tollgate\.yaml:2 describes qwen itself/],
  ['a list in braces', 'tools: { ask: { binary: ./ask.sh } }\n', 'qwen', /add this by hand:\n\ntools:\n {2}qwen:\n/],
  ['a file with a mistake', 'sesions: 1\n', 'qwen', /fix tollgate\.yaml first:\n.*sesions is unknown/],
  [
    'a name that it does not have',
    '',
    'qwn',
    /the catalogue has no qwn, only opencode, qwen, agy; did you mean qwen\?/,
  ],
  ['a name of an object', '', 'constructor', /the catalogue has no constructor/],
];
for (const [what, text, name, told] of REFUSED)
  test(`${what} is refused, and the file stays`, async ({ rig }) => {
    if (text !== '') rig.write('tollgate.yaml', text);
    const { code, stderr } = await add(rig, name);
    assert.equal([code, fileOf(rig)], [2, text === '' ? '(none)' : text]);
    assert.match(stderr, told);
  });

test('a link or a folder in the place of the file is not replaced', async ({ rig }) => {
  symlinkSync('elsewhere.yaml', path.join(rig.project, 'tollgate.yaml'));
  assert.match((await add(rig, 'qwen')).stderr, /tollgate\.yaml is a symbolic link: make it a regular file/);
  assert.not.ok(existsSync(path.join(rig.project, 'elsewhere.yaml')));
  mkdirSync(path.join(rig.project, 'below'));
  for (const words of [[], ['qwen', 'agy'], ['--cwd=below']]) assert.is((await add(rig, ...words)).code, 2);
  assert.is((await rig.run('tollgate', ['tools', 'remove', 'qwen'])).code, 2);
});

test("a project's own description counts instead of the catalogue's, and is reported", async ({ rig }) => {
  rig.write('tollgate.yaml', 'tools:\n  qwen: { binary: ./q.sh }\n');
  const { rows } = await list(rig);
  assert.equal(rows, [['qwen', 'other', null]]);
  const { stdout } = await rig.run('tollgate', ['tools']);
  assert.match(stdout, /qwen +tested with 0\.24\.4, but the description in tollgate\.yaml counts instead/);
  assert.match(
    (await rig.run('tollgate', ['call', 'opencode', 'Hello there'])).stderr,
    /`tollgate tools add opencode`/,
  );
});

test.run();
