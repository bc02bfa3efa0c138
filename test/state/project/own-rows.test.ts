// The rows of a project's own in tollgate.yaml: what they may say, and every mistake with its name, place and way out.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readProject } from '../../../state/project/project.ts';

const test = suite<{ folder: string }>('own rows');
test.before.each((context) => {
  context.folder = mkdtempSync(path.join(tmpdir(), 'own-rows-'));
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

async function read(folder: string, text: string) {
  writeFileSync(path.join(folder, 'tollgate.yaml'), text);
  const got = await readProject(folder);
  if (got.how === 'invalid') return `${got.kind}: ${got.message.replaceAll(`${folder}/`, '')}`;
  return got.value.triage.rules;
}

const WHOLE = `triage:
  rules:
    - id: corp-proxy
      tool: gemini
      source: stderr
      match: {status: [403, 5xx, none], code: PROXY_DENIED, text: [corporate proxy, blocked * by IT], wait: long, exit: [7, SIGXCPU]}
      class: tooling
      reason: corporate_proxy
      proof:
        - blocked today by IT
        - {message: no, status: 403, code: PROXY_DENIED, type: t, details: d}
`;

test('a row with everything', async ({ folder }) => {
  assert.equal(await read(folder, WHOLE), [
    {
      id: 'corp-proxy',
      tool: 'gemini',
      source: 'stderr',
      match: {
        status: [403, '5xx', 'none'],
        code: ['PROXY_DENIED'],
        text: ['corporate proxy', 'blocked * by IT'],
        wait: 'long',
        exit: [7, 'SIGXCPU'],
      },
      class: 'tooling',
      reason: 'corporate_proxy',
      proof: ['blocked today by IT', { message: 'no', status: 403, code: 'PROXY_DENIED', type: 't', details: 'd' }],
    },
  ]);
});

test('a row with what it must have', async ({ folder }) => {
  assert.equal(await read(folder, yaml()), [
    { id: 'x', tool: 'any', source: 'any', match: { text: ['a b'] }, class: 'auth', reason: 'r', proof: [] },
  ]);
});

/** A row in one line, as YAML. */
const row = (change: Record<string, string> = {}): string =>
  `{${Object.entries({ id: 'x', match: '{text: a b}', class: 'auth', reason: 'r', ...change })
    .map(([key, value]) => `${key}: ${value}`)
    .join(', ')}}`;
const yaml = (...rows: string[]) =>
  `triage:\n  rules:\n${(rows.length === 0 ? [row()] : rows).map((one) => `    - ${one}\n`).join('')}`;
const at = (line: number, said: string) => `unfit: tollgate.yaml:${line}: triage.rules${said}`;

const BAD: [what: string, text: string, said: string][] = [
  ['junk', 'triage: {rules: [}\n', 'unreadable: tollgate.yaml:1: '],
  ['two documents', 'a: 1\n---\nb: 2\n', 'unreadable: tollgate.yaml:2: '],
  ['no list', 'triage: {rules: {id: x}}\n', at(1, ' must be array, not object')],
  [
    'a word that is not there',
    'triage: {rule: []}\n',
    'unfit: tollgate.yaml:1: triage.rule is unknown; did you mean rules?',
  ],
  ['an unknown key', yaml(row({ clas: 'auth' })), at(3, '[0].clas is unknown; did you mean class?')],
  ['an unknown key of match', yaml(row({ match: '{txt: a}' })), at(3, '[0].match.txt is unknown; did you mean text?')],
  [
    'an unknown key of a proof',
    yaml(row({ proof: '[{mesage: a}]' })),
    at(3, '[0].proof[0].mesage is unknown; did you mean message?'),
  ],
  [
    'an unknown class',
    yaml(row(), row({ id: 'y', class: 'authentication' })),
    at(
      4,
      '[1].class must be one of transient, prompt_too_large, auth, quota, tooling, scope_violation, contract_violation, unknown',
    ),
  ],
  [
    'a tool of another name',
    yaml(row({ tool: 'acme' })),
    at(3, '[0].tool must be one of any, gemini, copilot, codex, claude'),
  ],
  [
    'a source of another name',
    yaml(row({ source: 'gate' })),
    at(3, '[0].source must be one of any, failure, error, stderr, exit_code'),
  ],
  ['no reason', yaml('{id: x, match: {text: a}, class: auth}'), at(3, '[0].reason is missing; expected string')],
  [
    'a reason in words',
    yaml(row({ reason: 'no proxy' })),
    at(3, '[0].reason must be words of a-z 0-9 with a _ between them'),
  ],
  [
    'a reason of ours',
    yaml(row({ reason: 'budget' })),
    at(3, "[0].reason is said of tollgate's own limits; use another word"),
  ],
  [
    'an id of ours',
    yaml(row({ id: 'access-key' })),
    at(3, '[0].id is a name of tollgate itself; give the row one of its own'),
  ],
  ['an id of an ending', yaml(row({ id: 'ending-idle' })), at(3, '[0].id is a name of tollgate itself')],
  ['an id of a refusal', yaml(row({ id: 'refused-no-prompt' })), at(3, '[0].id is a name of tollgate itself')],
  [
    'an id twice',
    yaml(row(), row({ id: 'y' }), row()),
    at(5, '[2].id is that of triage.rules[0] too; give it its own'),
  ],
  [
    'a match that asks for nothing',
    yaml(row({ match: '{}' })),
    at(3, '[0].match asks for nothing, and so would decide everything; give it '),
  ],
  [
    'a phrase of stars',
    yaml(row({ match: '{text: "***"}' })),
    at(3, '[0].match.text has no word in it; write what is said'),
  ],
  ['a phrase of blanks', yaml(row({ match: '{text: [a, "  "]}' })), at(3, '[0].match.text[1] has no word in it')],
  ['an empty phrase', yaml(row({ match: '{text: ""}' })), at(3, '[0].match.text has no word in it')],
  ['no phrase', yaml(row({ match: '{text: []}' })), at(3, '[0].match.text must not be empty')],
  ['a number for a phrase', yaml(row({ match: '{text: 403}' })), at(3, '[0].match.text must be string or array')],
  [
    'a long phrase',
    yaml(row({ match: `{text: ${'a'.repeat(201)}}` })),
    at(3, '[0].match.text must have at most 200 characters'),
  ],
  [
    'a phrase of nearly a megabyte',
    yaml(row({ match: `{text: ${'a'.repeat(1_000_000)}}` })),
    at(3, '[0].match.text must have at most 200'),
  ],
  [
    'a phrase of a megabyte',
    yaml(row({ match: `{text: ${'a*'.repeat(600_000)}}` })),
    'unreadable: tollgate.yaml has 1200072 bytes; a project file has at most 1048576',
  ],
  ['a status out of range', yaml(row({ match: '{status: 200}' })), at(3, '[0].match.status must be at least 400')],
  [
    'a status in words',
    yaml(row({ match: '{status: 3xx}' })),
    at(3, '[0].match.status must be an HTTP status (400 to 599), 4xx, 5xx or none'),
  ],
  ['an exit of 0', yaml(row({ match: '{exit: 0}' })), at(3, '[0].match.exit must be at least 1')],
  ['a proof in parts', yaml(row({ proof: '[[a]]' })), at(3, '[0].proof[0] must be string or object')],
  [
    '1,000 rows',
    yaml(...Array.from({ length: 1000 }, (_, i) => row({ id: `x${i}` }))),
    at(3, ' must have at most 100'),
  ],
];
for (const [what, text, said] of BAD)
  test(what, async ({ folder }) => {
    const got = await read(folder, text);
    assert.ok(typeof got === 'string' && got.startsWith(said), String(got).slice(0, 300));
    assert.is(String(got).split('\n').length, 1);
  });

for (const id of [
  'Corp',
  'corp_proxy',
  'corp-',
  '-corp',
  'corp--proxy',
  '1corp',
  'corp proxy',
  '../corp',
  'körp',
  'a'.repeat(61),
])
  test(`no id: ${id.slice(0, 20)}`, async ({ folder }) => {
    assert.match(String(await read(folder, yaml(row({ id: JSON.stringify(id) })))), 'triage.rules[0].id must');
  });

test('100 rows of a few phrases are read; what would not fit into the environment is not', async ({ folder }) => {
  const rows = (length: number) =>
    yaml(
      ...Array.from({ length: 100 }, (_, i) =>
        row({
          id: `x${i}`,
          match: `{text: [${'ä'.repeat(length)}, ${'b'.repeat(200)}]}`,
          proof: `[${'c'.repeat(2000)}]`,
        }),
      ),
    );
  assert.is((await read(folder, rows(100))).length, 100);
  assert.match(
    String(await read(folder, rows(190))),
    /^unfit: tollgate\.yaml:3: triage\.rules have \d+ bytes without their proofs, of 65536 at most; make them fewer or shorter$/,
  );
});

test('the line of a field', async ({ folder }) => {
  writeFileSync(path.join(folder, 'tollgate.yaml'), WHOLE);
  const got = await readProject(folder);
  if (got.how === 'invalid') return assert.unreachable(got.message);
  const lines = [['triage', 'rules', 0], ['triage', 'rules', 0, 'proof', 1], ['triage', 'rules', 5], ['nowhere']].map(
    got.lineOf,
  );
  assert.equal(lines, [3, 11, 3, 1]);
});

test.run();
