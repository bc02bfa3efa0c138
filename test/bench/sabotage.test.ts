// The sabotaging agent of the torture: its plans are repeatable, it puts there what it says, and each of its checks can fail.

import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Command, Done, Evidence } from '../../bench/torture/sabotage/evidence.ts';
import { INVARIANTS, violationsOf } from '../../bench/torture/sabotage/invariants.ts';
import { REPLACEMENTS, sabotagePlanOf, TARGETS } from '../../bench/torture/sabotage/plan.ts';
import { playSabotageRound } from '../../bench/torture/sabotage/play.ts';
import { edited, type Replacement, replaceBy } from '../../bench/torture/sabotage/replace.ts';
import type { SabotageWorld, Seen } from '../../bench/torture/sabotage/world.ts';
import { TOOLS } from '../../policies/facts/tools.ts';

const test = suite<{ root: string }>('sabotage');
test.before.each((context) => {
  context.root = mkdtempSync(path.join(tmpdir(), 'saboteur-'));
});
test.after.each(({ root }) => rmSync(root, { recursive: true, force: true }));

test('the same seed and number make the same plan, another one another', () => {
  assert.equal(sabotagePlanOf(1, 7), sabotagePlanOf(1, 7));
  assert.not.equal(sabotagePlanOf(1, 7), sabotagePlanOf(2, 7));
  assert.not.equal(sabotagePlanOf(1, 7), sabotagePlanOf(1, 8));
});

test('500 rounds come to each target, each replacement, and each tool as each caller', () => {
  const plans = Array.from({ length: 500 }, (_, i) => sabotagePlanOf(1, i + 1));
  const acts = plans.flatMap((plan) => plan.acts);
  const met = <T>(values: readonly T[]) => [...new Set(values)].sort();
  assert.equal(met(acts.map(({ target }) => target)), [...TARGETS].sort());
  assert.equal(met(acts.map(({ by }) => by)), [...REPLACEMENTS].sort());
  for (const caller of ['first', 'second', 'other'] as const)
    assert.equal(met(plans.map(({ tools }) => tools[caller])), [...TOOLS].sort());
});

const KINDS: Record<Replacement, (file: string) => boolean> = {
  fifo: (file) => lstatSync(file).isFIFO(),
  folder: (file) => lstatSync(file).isDirectory(),
  full_folder: (file) => lstatSync(path.join(file, 'deep/er/file.json')).isFile(),
  link_to_file: (file) => readFileSync(file, 'utf8') === 'a letter\n',
  link_to_folder: (file) => readFileSync(path.join(file, 'letter.md'), 'utf8') === 'another\n',
  loop: (file) => lstatSync(file).isSymbolicLink() && failsWith('ELOOP', () => readFileSync(file)),
  link_to_zero: (file) => lstatSync(file).isSymbolicLink(),
  dangling: (file) => lstatSync(file).isSymbolicLink() && failsWith('ENOENT', () => readFileSync(file)),
  // Who may make no device puts a FIFO there.
  device: (file) => lstatSync(file).isCharacterDevice() || lstatSync(file).isFIFO(),
  huge: (file) => lstatSync(file).size === 3 * 1024 ** 3,
  socket: (file) => lstatSync(file).isSocket(),
  edit: (file) => readFileSync(file, 'utf8') !== 'paid_call_budget: 1\n',
  text: (file) => readFileSync(file, 'utf8') !== 'paid_call_budget: 1\n',
  gone: (file) => lstatSync(file, { throwIfNoEntry: false }) === undefined,
};

for (const by of REPLACEMENTS)
  for (const [old, make] of [
    ['a file', (place: string) => writeFileSync(place, 'paid_call_budget: 1\n')],
    ['a folder', (place: string) => mkdirSync(path.join(place, 'inner'), { recursive: true })],
  ] as const)
    test(`${by} in the place of ${old}`, async ({ root }) => {
      const world = worldIn(root);
      const place = path.join(root, 'manifest.yaml');
      make(place);
      const isDone = await replaceBy(by, place, 0, world);
      assert.is(isDone, by !== 'edit' || old === 'a file', 'a folder cannot be edited');
      if (isDone) assert.ok(KINDS[by](place));
    });

function worldIn(root: string): SabotageWorld {
  for (const folder of ['person/folder', 'stolen']) mkdirSync(path.join(root, folder), { recursive: true });
  writeFileSync(path.join(root, 'person/precious.md'), 'a letter\n');
  writeFileSync(path.join(root, 'person/folder/letter.md'), 'another\n');
  return { ...PLACES, root, person: path.join(root, 'person'), stolen: path.join(root, 'stolen') } as SabotageWorld;
}

function failsWith(code: string, act: () => unknown): boolean {
  try {
    act();
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === code;
  }
}

const EDITED: Record<string, string> = {
  'journal.jsonl': '{"v":1,"fact":"reserved"}\n{"v":1,"fact":"done"}\n',
  'manifest.yaml': 'task_id: a\ngoal: g\npaid_call_budget: 6\ncommands: ["true"]\n',
  'tollgate.yaml': 'rules: rules.md\nroles: {brief: {template: templates/brief.md}}\n',
  'file.1.jsonl': '{"ticket":{}}\n',
  'attempt.json': '{"folder":"/a","timeout_ms":7,"name":"n","list":[1]}',
  'notes.md': 'Some notes.\n',
};

for (const [name, old] of Object.entries(EDITED))
  test(`each edit of ${name} changes it, and is the same for the same salt`, ({ root }) => {
    for (let salt = 0; salt < 12; salt++) {
      const text = edited(name, old, salt, worldIn(root));
      assert.not.equal(text, old, `salt ${salt}`);
      assert.is(text, edited(name, old, salt, worldIn(root)));
    }
  });

const PLACES = { root: '/r', project: '/r/project', stolen: '/r/stolen' };
const TASK = '/r/project/.tmp/task/a';
const MANIFEST = `${TASK}/manifest.yaml`;
const JOURNAL = `${TASK}/state/journal.jsonl`;
const PLAN = {
  ...sabotagePlanOf(1, 1),
  kind: 'run',
  tools: { first: 'codex', second: 'gemini', other: 'copilot' },
} as const;
const LINE = '{"v":1,"at":"x","fact":"claimed"}';

const done = (change: Partial<Done> & { act?: Partial<Done['act']> } = {}): Done => ({
  place: MANIFEST,
  call: 'c1',
  intruder: '1:2',
  originals: new Map([[MANIFEST, Buffer.from('goal')]]),
  journals: { a: [LINE], b: [] },
  ...change,
  act: { caller: 'first', moment: 'half', target: 'manifest', by: 'fifo', salt: 0, ...change.act },
});
const command = (change: Partial<Command> = {}): Command => ({
  command: 'tollgate run a --json',
  as: 'main',
  code: 1,
  signal: null,
  stdout: '',
  stderr: '',
  hung: false,
  maxRssMib: 90,
  ...change,
});
const asked = (id: string): Seen[] => [{ what: 'begun', id, tool: 'codex' }];
const answered = (id: string): Seen[] => [...asked(id), { what: 'answered', id, tool: 'codex' }];

const TEXTS = new Map([
  [MANIFEST, Buffer.from('goal')],
  [JOURNAL, Buffer.from(`${LINE}\n`)],
  [`${TASK}/outputs/plan.codex.out`, Buffer.from('the answer of c1')],
]);
const table = (texts: Map<string, Buffer>, ids: [string, string][] = [[`${MANIFEST}.aside`, '1:2']]) => ({
  texts,
  ids: new Map(ids),
});
const but = (file: string, text: string | null) => {
  const texts = new Map(TEXTS);
  if (text === null) texts.delete(file);
  else texts.set(file, Buffer.from(text));
  return texts;
};
const WHOLE: Evidence = {
  plan: PLAN as Evidence['plan'],
  done: [done()],
  commands: [command()],
  seen: answered('c1'),
  person: { before: new Map([['/p', 'a']]), after: new Map([['/p', 'a']]) },
  files: { main: table(TEXTS), end: table(TEXTS) },
  ran: false,
  survivors: [],
};
const files = (texts: Map<string, Buffer>, ids?: [string, string][]) => ({
  files: { main: table(texts, ids), end: table(texts, ids) },
});

interface Row {
  why: string;
  change: Partial<Evidence>;
  found: (keyof typeof INVARIANTS)[];
}

const ROWS: Row[] = [
  { why: 'a whole round', change: {}, found: [] },
  { why: 'a command that does not end', change: { commands: [command({ hung: true, code: null })] }, found: ['hangs'] },
  { why: 'exit code 70', change: { commands: [command({ code: 70 })] }, found: ['bugs'] },
  {
    why: 'a stack with a published code',
    change: { commands: [command({ stderr: 'This is a bug of tollgate' })] },
    found: ['bugs'],
  },
  { why: 'a manifest that is gone', change: files(but(MANIFEST, null)), found: ['originals'] },
  { why: 'a manifest that is another', change: files(but(MANIFEST, 'goal!')), found: ['originals'] },
  {
    why: 'a manifest under a name that nobody says',
    change: files(new Map([...but(MANIFEST, null), [`${MANIFEST}.old`, Buffer.from('goal')]])),
    found: ['originals'],
  },
  {
    why: 'a manifest under a name that the run says',
    change: {
      ...files(new Map([...but(MANIFEST, null), [`${MANIFEST}.old`, Buffer.from('goal')]])),
      commands: [command({ stderr: 'kept as manifest.yaml.old' })],
    },
    found: [],
  },
  { why: 'a journal without its line', change: files(but(JOURNAL, '\n')), found: ['originals'] },
  {
    why: 'a journal whose line was written again later',
    change: files(but(JOURNAL, '{"v":1,"at":"later","fact":"claimed"}\n')),
    found: [],
  },
  { why: 'an intruder that was deleted', change: files(TEXTS, []), found: ['intruders'] },
  {
    why: 'an intruder that a later act took away',
    change: { ...files(TEXTS, []), done: [done(), done({ intruder: null, act: { ...done().act, by: 'gone' } })] },
    found: [],
  },
  {
    why: 'a file of a person that was written to',
    change: { person: { before: new Map([['/p', 'a']]), after: new Map([['/p', 'b']]) } },
    found: ['touched'],
  },
  {
    why: 'a file that came to a person',
    change: { person: { before: new Map(), after: new Map([['/p', 'b']]) } },
    found: ['touched'],
  },
  { why: "an agent's command that was run", change: { ran: true }, found: ['ran'] },
  { why: 'an answer that is nowhere', change: files(but(`${TASK}/outputs/plan.codex.out`, null)), found: ['lost'] },
  { why: 'a stage that was asked again', change: { seen: [...answered('c1'), ...answered('c2')] }, found: ['double'] },
  { why: 'a call that was asked twice', change: { seen: [...asked('c1'), ...answered('c1')] }, found: ['double'] },
  {
    why: 'more calls than the person allowed',
    change: { seen: ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'].flatMap(asked) },
    found: ['overrun'],
  },
  { why: 'a process that lives', change: { survivors: ['7 sleep'] }, found: ['survivors'] },
  {
    why: 'half a JSON file',
    change: files(new Map([...TEXTS, [`${TASK}/state/stats.json`, Buffer.from('{')]])),
    found: ['unreadable'],
  },
  { why: 'a reader without a bound', change: { commands: [command({ maxRssMib: 2500 })] }, found: ['bloated'] },
  {
    why: 'a refusal that does not name what is there',
    change: {
      files: { main: table(TEXTS), end: table(TEXTS, [[MANIFEST, '1:2']]) },
      commands: [command({ as: 'rerun', command: 'tollgate run a --json', code: 2, stderr: 'cannot be read' })],
    },
    found: ['unnamed'],
  },
];

for (const { why, change, found } of ROWS)
  test(`it sees ${why}`, () => {
    const violations = violationsOf({ ...WHOLE, ...change }, PLACES);
    assert.equal([...new Set(violations.map(({ what }) => what))], found, JSON.stringify(violations));
  });

test('each check is seen to fail', () => {
  const failing = new Set(ROWS.flatMap(({ found }) => found));
  assert.equal(
    Object.keys(INVARIANTS).filter((name) => !failing.has(name as keyof typeof INVARIANTS)),
    [],
  );
});

/** `npm run torture -- --sabotage` does more. */
const SHORT = [2, 3];

test('a short sabotage finds nothing', async () => {
  for (const n of SHORT) {
    const { violations, evidence } = await playSabotageRound(1, n);
    assert.equal(violations, [], `npm run torture -- --sabotage --seed 1 --only ${n}`);
    assert.ok(
      evidence.done.some(({ place }) => place !== null),
      `round ${n} replaced nothing`,
    );
  }
});

test.run();
