// A labelled corpus as it is read from disk: what a case becomes, and what is said of every mistake in it.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readCorpus } from '../../state/corpus.ts';

const test = suite<{ root: string; project: string }>('corpus');
test.before.each((context) => {
  context.root = mkdtempSync(path.join(tmpdir(), 'corpus-'));
  context.project = path.join(context.root, 'in/project');
  mkdirSync(path.join(context.project, 'test'), { recursive: true });
});
test.after.each(({ root }) => rmSync(root, { recursive: true, force: true }));

const WHOLE = { id: 'a-1', tool: 'codex', at: '2026-11-21T21:00:00.000Z', class: 'auth' };

/** What is said of a corpus in the project's test folder, without the path to the project. */
function mistakeIn(project: string, ...lines: (string | object)[]): string {
  const file = path.join(project, 'test/cases.jsonl');
  writeFileSync(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  const read = readCorpus(file, project);
  return read.how === 'read' ? `read ${read.cases.length}` : read.message.replaceAll(`${project}/`, '');
}

const ROWS: [line: string | object, said: string][] = [
  [WHOLE, 'read 1'],
  [{ ...WHOLE, retry_at: null, reason: null, signal: null, exit_code: null, ending: 'killed' }, 'read 1'],
  [`\ufeff${JSON.stringify(WHOLE)}\r\n\n  \n`, 'read 1'],
  ['', 'test/cases.jsonl holds no case'],
  ['[1]', 'test/cases.jsonl:1: this is not a JSON object; a case is one object on one line'],
  ['{"id":', 'test/cases.jsonl:1: this is not a JSON object; a case is one object on one line'],
  [{ ...WHOLE, id: undefined }, 'test/cases.jsonl:1: id is missing; expected a name such as codex-bad-key-json'],
  [{ ...WHOLE, id: '../x' }, 'test/cases.jsonl:1: id must be a name such as codex-bad-key-json, not "../x"'],
  [{ ...WHOLE, tool: 'acme' }, 'test/cases.jsonl:1: tool must be one of gemini, copilot, codex, claude, not "acme"'],
  [
    { ...WHOLE, at: '2026-11-21 21:00' },
    'test/cases.jsonl:1: at must be a time with its zone, such as 2026-11-21T21:00:00Z, not "2026-11-21 21:00"',
  ],
  [
    { ...WHOLE, at: '2026-13-41T21:00Z' },
    'test/cases.jsonl:1: at must be a time with its zone, such as 2026-11-21T21:00:00Z, not "2026-13-41T21:00Z"',
  ],
  [{ ...WHOLE, exit_code: '1' }, 'test/cases.jsonl:1: exit_code must be a whole number or null, not "1"'],
  [{ ...WHOLE, exit_cod: 1 }, 'test/cases.jsonl:1: exit_cod is unknown; did you mean exit_code?'],
  ['{"__proto__":1,"id":1}', 'test/cases.jsonl:1: __proto__ is unknown; expected id, tool,'],
  [{ ...WHOLE, class: undefined }, 'test/cases.jsonl:1: class is missing; expected null or one of transient, '],
  [{ ...WHOLE, class: 'success' }, 'test/cases.jsonl:1: class must be null or one of transient, '],
  [
    { ...WHOLE, class: null, reason: 'bad_key' },
    'test/cases.jsonl:1: class null is a success, which has no reason and no retry_at',
  ],
  [{ ...WHOLE, identity: 'bad-key' }, 'test/cases.jsonl:1: identity and rendering go together: give both or neither'],
  [
    { ...WHOLE, stderr: 'x', files: 'y' },
    'test/cases.jsonl:1: files replaces stderr and stdout, so give only one of them',
  ],
  [
    { ...WHOLE, files: '/etc' },
    'test/cases.jsonl:1: files must be the path of a folder, relative to this file, not "/etc"',
  ],
  [
    { ...WHOLE, files: 'nosuch' },
    'test/cases.jsonl:1: files: there is no folder test/nosuch; the path is relative to ',
  ],
  [{ ...WHOLE, files: '../../..' }, 'is outside'],
  [
    'x'.repeat(4 * 1024 * 1024 + 1),
    'test/cases.jsonl:1: has 4194305 characters, over 4194304; put its texts into a folder, and name it in files',
  ],
];
for (const [line, said] of ROWS)
  test(`${(typeof line === 'string' ? line : JSON.stringify(line)).slice(0, 150)} … ${said.slice(0, 60)}`, ({
    project,
  }) => {
    assert.ok(mistakeIn(project, line).includes(said), mistakeIn(project, line).slice(0, 300));
  });

test('all mistakes are told at once, twenty at most, and an id that stands twice', ({ project }) => {
  assert.is(
    mistakeIn(project, WHOLE, { ...WHOLE, tool: 'x', exit_code: 1.5 }, WHOLE),
    [
      'test/cases.jsonl:2: tool must be one of gemini, copilot, codex, claude, not "x"',
      'test/cases.jsonl:2: exit_code must be a whole number or null, not 1.5',
      'test/cases.jsonl:3: id "a-1" is the one of test/cases.jsonl:1; each case has an id of its own',
    ].join('\n'),
  );
  const many = mistakeIn(project, ...Array.from({ length: 30 }, () => '{'));
  assert.is(many.split('\n').length, 21);
  assert.match(many, /\nand 10 more mistakes$/);
});

test('a case has its texts, its end and its label', ({ project }) => {
  const more = { exit_code: 1, signal: 'SIGKILL', ending: 'idle', stderr: 'no\n', stdout: '{}', reason: 'bad_key' };
  const named = { identity: 'bad-key', rendering: 'json', retry_at: null };
  const file = path.join(project, 'cases.jsonl');
  writeFileSync(file, `\n${JSON.stringify({ ...WHOLE, ...more, ...named })}\n`);
  assert.equal(readCorpus(file, project), {
    how: 'read',
    cases: [
      {
        id: 'a-1',
        file,
        line: 2,
        captured: { tool: 'codex', exitCode: 1, signal: 'SIGKILL', ending: 'idle', stderr: 'no\n', stdout: '{}' },
        at: new Date('2026-11-21T21:00:00.000Z'),
        label: { class: 'auth', reason: 'bad_key', retryAt: null },
        identity: 'bad-key',
        rendering: 'json',
      },
    ],
  });
});

test('a folder is read in the order of its paths, ids count over all files', ({ project }) => {
  const folder = path.join(project, 'corpus');
  mkdirSync(path.join(folder, 'held-a'), { recursive: true });
  for (const [name, id] of [
    ['held-a/x.jsonl', 'c'],
    ['b.jsonl', 'b'],
    ['a.jsonl', 'a'],
    ['notes.md', '#'],
  ])
    writeFileSync(path.join(folder, name!), JSON.stringify({ ...WHOLE, id }));
  const read = readCorpus(folder, project);
  assert.equal(read.how === 'read' && read.cases.map(({ id }) => id), ['a', 'b', 'c']);
  writeFileSync(path.join(folder, 'b.jsonl'), JSON.stringify({ ...WHOLE, id: 'c' }));
  const again = readCorpus(folder, project);
  assert.match(again.how === 'invalid' ? again.message : '', /held-a\/x\.jsonl:1: id "c" is the one of .*b\.jsonl:1/);
});

test('a folder without cases, and none at all', ({ project, root }) => {
  assert.equal(readCorpus(root, project), { how: 'invalid', message: `${root} holds no file that ends in .jsonl` });
  assert.equal(readCorpus(`${root}/x`, project), { how: 'invalid', message: `${root}/x cannot be read (ENOENT)` });
});

/** A recorded folder beside the corpus' own. */
function record(project: string, meta: string): string {
  const folder = path.join(project, 'captures/401');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'meta.json'), meta);
  writeFileSync(path.join(folder, 'stderr'), 'no\n');
  return folder;
}
const RECORDED = { ...WHOLE, files: '../captures/401' };

const METAS: [meta: string, end: string][] = [
  ['{"tool":"codex","exit_code":12,"signal":null}', '12 null exited'],
  ['{"exit_code":null,"signal":"SIGSEGV"}', 'null SIGSEGV signalled'],
  ['{"exit_code":null,"signal":null,"killed":true}', 'null null killed'],
  ['{"exit_code":null,"signal":null,"ending":"idle"}', 'null null idle'],
  ['{"ending":"gone"}', 'meta.json must be one of exited, signalled, '],
  ['{"tool":"gemini"}', 'was recorded of "gemini", and tool says codex'],
  ['no', 'meta.json is not a JSON object with exit_code and signal'],
];
for (const [meta, end] of METAS)
  test(`files that were recorded as ${meta}`, ({ project }) => {
    record(project, meta);
    const said = mistakeIn(project, RECORDED);
    if (said !== 'read 1') return assert.ok(said.includes(end), said);
    const read = readCorpus(path.join(project, 'test'), project);
    if (read.how === 'invalid') throw new Error(read.message);
    const { exitCode, signal, ending, stderr, stdout } = read.cases[0]!.captured;
    assert.equal([`${exitCode} ${signal} ${ending}`, stderr, stdout], [end, 'no\n', '']);
  });

test('files may lie in the project though the corpus stands elsewhere', ({ project, root }) => {
  record(project, '{"exit_code":1}');
  const file = path.join(root, 'else/where/cases.jsonl');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...WHOLE, files: '../../in/project/captures/401' }));
  assert.is(readCorpus(file, project).how, 'read');
  assert.is(readCorpus(file, path.join(root, 'else')).how, 'invalid');
});

test('files that are links lead nowhere', ({ project, root }) => {
  const folder = record(project, '{"exit_code":1}');
  symlinkSync('stderr', path.join(folder, 'stdout'));
  assert.ok(mistakeIn(project, RECORDED).endsWith('captures/401/stdout is a symbolic link, and no regular file'));
  symlinkSync(root, path.join(project, 'away'));
  assert.match(mistakeIn(project, { ...WHOLE, files: '../away' }), /is outside .*; copy it beside the corpus$/);
});

test.run();
