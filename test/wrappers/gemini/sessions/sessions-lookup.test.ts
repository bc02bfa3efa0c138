// Which of gemini's files is a session's: by its folders of today and of old, and nothing that only looks like one.

import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, realpathSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { GEMINI_SESSIONS } from '../../../../wrappers/gemini/sessions/store.ts';
import { SessionFileError } from '../../../../wrappers/sessions/store.ts';
import { where } from '../../../rig/where-possible.ts';
import { FIXTURES, scratch } from '../session-files.ts';

interface Home {
  home: string;
  project: string;
  lookup: { environment: NodeJS.ProcessEnv; cwd: string };
  /** @param slug of its folder. */
  put(slug: string, name: string, text: string, ageS?: number): string;
}

const test = suite<Home>('where gemini keeps its sessions');
test.before.each((context) => {
  const home = realpathSync(scratch());
  const project = path.join(home, 'project');
  mkdirSync(project);
  Object.assign(context, { home, project, lookup: { environment: { HOME: home }, cwd: project } });
  context.put = (slug, name, text, ageS = 100) => {
    const file = path.join(home, '.gemini/tmp', slug, 'chats', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    utimesSync(file, NOW_S - ageS, NOW_S - ageS);
    return file;
  };
  mkdirSync(path.join(home, '.gemini/tmp'), { recursive: true });
  writeFileSync(path.join(home, '.gemini/projects.json'), JSON.stringify({ projects: { [project]: 'project' } }));
});

const NOW_S = 1_800_000_000;
const NOW = new Date(NOW_S * 1000);
const [A, B] = ['aaaaaaaa-0000-4000-8000-000000000000', 'bbbbbbbb-0000-4000-8000-000000000000'];
const E = A.replaceAll('a', 'e');
const LONG_AGO = new Date(0);
const session = (id: string, prompt = 'Name a colour.') =>
  FIXTURES['plain.jsonl']!.replaceAll('5b0c9a52-6d1e-4c1c-9a39-0f6a3c1d7e11', id).replace('Name a colour.', prompt);
const ids = async (home: Home, since = LONG_AGO) =>
  (await GEMINI_SESSIONS.recent(home.lookup, since)).map(({ id }) => id);

test('by its id, with its folder, size and time', async (home) => {
  const file = home.put('project', `session-2026-11-21T20-00-${A.slice(0, 8)}.jsonl`, session(A));
  assert.equal(await GEMINI_SESSIONS.find(A, home.lookup), {
    tool: 'gemini',
    id: A,
    file,
    cwd: home.project,
    cliVersion: null,
    bytes: session(A).length,
    changedAtMs: (NOW_S - 100) * 1000,
  });
  assert.is(await GEMINI_SESSIONS.find(B, home.lookup), null);
  for (const id of ['', '__proto__', '../../project', A.slice(0, 8)])
    assert.is(await GEMINI_SESSIONS.find(id, home.lookup), null);
});

test('of another folder it is found too, and named so, but is not recent here', async (home) => {
  home.put('other', `session-x-${A.slice(0, 8)}.jsonl`, session(A));
  writeFileSync(path.join(home.home, '.gemini/tmp/other/.project_root'), '/somewhere/else');
  assert.is((await GEMINI_SESSIONS.find(A, home.lookup))?.cwd, '/somewhere/else');
  home.put('nobody', `session-x-${B.slice(0, 8)}.jsonl`, session(B));
  assert.is((await GEMINI_SESSIONS.find(B, home.lookup))?.cwd, null);
  assert.equal(await ids(home), []);
});

test('the one of this folder wins over a copy that is newer', async (home) => {
  home.put('other', `session-x-${A.slice(0, 8)}.jsonl`, session(A), 1);
  home.put('project', `session-x-${A.slice(0, 8)}.jsonl`, session(A), 100);
  assert.is((await GEMINI_SESSIONS.find(A, home.lookup))?.cwd, home.project);
});

test('the folders of old versions, named by the hash of the path', async (home) => {
  const hash = createHash('sha256').update(home.project).digest('hex');
  home.put(hash, 'session-2026-11-21T20-25-576d6746.json', FIXTURES['old.json']!);
  const found = await GEMINI_SESSIONS.find('576d6746-2d27-4d6c-8a8e-3b9f5d0a7c22', home.lookup);
  assert.is(found?.cwd, home.project);
  assert.is(GEMINI_SESSIONS.firstPrompt(found!), 'List the files.');
  assert.is(GEMINI_SESSIONS.open(found!).turns, 2);
});

test('from a folder that is a link to it, and with a home of its own', async (home) => {
  home.put('project', `session-x-${A.slice(0, 8)}.jsonl`, session(A));
  const link = path.join(home.home, 'link');
  symlinkSync(home.project, link);
  const environment = { HOME: '/nowhere', GEMINI_CLI_HOME: home.home };
  const [found] = await GEMINI_SESSIONS.recent({ environment, cwd: link }, LONG_AGO);
  assert.is(found?.id, A);
});

test('recent ones, the newest first, without those of before, of sub agents and without a prompt', async (home) => {
  const [C, D] = [A.replaceAll('a', 'c'), A.replaceAll('a', 'd')];
  home.put('project', 'session-1-aaaaaaaa.jsonl', session(A), 300);
  home.put('project', 'session-2-bbbbbbbb.jsonl', session(B), 100);
  home.put('project', 'session-3-cccccccc.jsonl', session(C).replace('"kind":"main"', '"kind":"subagent"'), 50);
  home.put('project', 'session-4-dddddddd.jsonl', session(D).split('\n').slice(0, 2).join('\n'), 50);
  home.put('project', `${A}/agent.jsonl`, session(A), 10);
  home.put('project', 'session-5-eeeeeeee.jsonl', 'not a session\n', 10);
  home.put('project', 'session-6-ffffffff.jsonl', '', 10);
  home.put('project', 'session-7-00000000.txt', session(C), 10);
  assert.equal(await ids(home), [B, A]);
  assert.equal(await ids(home, new Date((NOW_S - 200) * 1000)), [B]);
  assert.is(await GEMINI_SESSIONS.find(C, home.lookup), null);
});

test('a file that the CLI begins on a resume and leaves empty is not taken for the session', async (home) => {
  const file = home.put('project', 'session-2026-11-21T20-00-aaaaaaaa.jsonl', session(A), 100);
  home.put('project', 'session-2026-11-21T20-09-aaaaaaaa.jsonl', session(A).split('\n').slice(0, 2).join('\n'), 1);
  assert.is((await GEMINI_SESSIONS.find(A, home.lookup))?.file, file);
  assert.equal(await ids(home), [A]);
});

test('neither links nor folders nor pipes are opened', async (home) => {
  const outside = path.join(home.home, 'outside.jsonl');
  writeFileSync(outside, session(A));
  const chats = path.dirname(home.put('project', 'session-1-bbbbbbbb.jsonl', session(B)));
  symlinkSync(outside, path.join(chats, 'session-2-aaaaaaaa.jsonl'));
  mkdirSync(path.join(chats, 'session-3-cccccccc.jsonl'));
  execFileSync('mkfifo', [path.join(chats, 'session-4-dddddddd.jsonl')]);
  const planted = home.put('../planted', 'session-5-eeeeeeee.jsonl', session(E));
  symlinkSync(path.join(planted, '../..'), path.join(home.home, '.gemini/tmp/linked'));
  assert.is(await GEMINI_SESSIONS.find(E, home.lookup), null);
  assert.equal(await ids(home), [B]);
  assert.is(await GEMINI_SESSIONS.find(A, home.lookup), null);
  const [real] = await GEMINI_SESSIONS.recent(home.lookup, LONG_AGO);
  for (const name of ['session-2-aaaaaaaa.jsonl', 'session-3-cccccccc.jsonl', 'session-4-dddddddd.jsonl']) {
    const file = path.join(chats, name);
    assert.throws(
      () => GEMINI_SESSIONS.open({ ...real!, file }),
      (error: unknown) => error instanceof SessionFileError && error.message === `${file}: is not a regular file`,
    );
    assert.is(GEMINI_SESSIONS.firstPrompt({ ...real!, file }), null);
  }
});

test('a store that is not there, or broken', async (home) => {
  assert.is(await GEMINI_SESSIONS.find(A, { environment: { HOME: '/nowhere' }, cwd: home.project }), null);
  home.put('project', 'session-1-aaaaaaaa.jsonl', session(A));
  for (const text of ['{', '[]', '{"projects":7}', '{"projects":{"/x":7,"__proto__":"project"}}', '']) {
    writeFileSync(path.join(home.home, '.gemini/projects.json'), text);
    assert.is((await GEMINI_SESSIONS.find(A, home.lookup))?.id, A, text);
  }
});

test('a first prompt that is longer than what is read of the file', async (home) => {
  home.put('project', 'session-1-aaaaaaaa.jsonl', session(A, `[Feature: login] \\u00e9 ${'long '.repeat(100_000)}`));
  const [found] = await GEMINI_SESSIONS.recent(home.lookup, LONG_AGO);
  assert.match(GEMINI_SESSIONS.firstPrompt(found!)!, /^\[Feature: login\] \u00e9 long /);
});

test('used is what has just changed', async (home) => {
  home.put('project', 'session-1-aaaaaaaa.jsonl', session(A), 12);
  const found = (await GEMINI_SESSIONS.find(A, home.lookup))!;
  assert.is(await GEMINI_SESSIONS.usedBy(found, home.lookup, NOW), 'its file changed 12 s ago');
  const later = new Date(NOW.getTime() + 60_000);
  assert.is(await GEMINI_SESSIONS.usedBy(found, home.lookup, later), null);
});

where('linux', test)('used is what a gemini in its project runs beside', async (home) => {
  home.put('project', 'session-1-aaaaaaaa.jsonl', session(A), 12);
  const found = (await GEMINI_SESSIONS.find(A, home.lookup))!;
  const later = new Date(NOW.getTime() + 60_000);
  for (const [argv0, argv, uses] of [
    ['gemini', [], true],
    ['node', ['/opt/lib/node_modules/@google/gemini-cli/bundle/gemini.js'], true],
    ['node', ['gemini'], false],
  ] as const) {
    const script = ['-e', 'setInterval(() => {}, 1000)', '--', ...argv];
    const child = spawn(process.execPath, script, { argv0, cwd: home.project, stdio: 'ignore' });
    await once(child, 'spawn');
    try {
      const said = uses ? `gemini runs in its folder (process ${child.pid})` : null;
      assert.is(await GEMINI_SESSIONS.usedBy(found, home.lookup, later), said);
      assert.is(await GEMINI_SESSIONS.usedBy({ ...found, cwd: home.home }, home.lookup, later), null);
    } finally {
      child.kill('SIGKILL');
    }
    await once(child, 'exit');
  }
});

test.run();
