// `tools` of tollgate.yaml: what a CLI may be described as, and every mistake with its line and the nearest name.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rowOf, type Tool } from '../../../policies/facts/tools.ts';
import { type ProjectFile, SESSION_DEFAULTS } from '../../../policies/manifest/project-file.ts';
import { promptLimit } from '../../../policies/manifest/prompt-limits.ts';
import { readProject } from '../../../state/project/project.ts';

const test = suite<{ folder: string }>('own tools');
test.before.each((context) => {
  context.folder = mkdtempSync(path.join(tmpdir(), 'own-tools-'));
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

async function read(folder: string, text: string) {
  writeFileSync(path.join(folder, 'tollgate.yaml'), text);
  const got = await readProject(folder);
  if (got.how === 'invalid') return got.message.replaceAll(`${folder}/`, '');
  const wrong = Object.values(got.value.unsound).join('\n').replaceAll(`${folder}/`, '');
  return wrong === '' ? got.value.tools : wrong;
}

test('a binary is all that it must have', async ({ folder }) => {
  assert.equal(await read(folder, 'tools:\n  mine:\n    binary: ./ask.sh\n'), {
    mine: {
      name: 'mine',
      binary: path.join(folder, 'ask.sh'),
      argv: [],
      environment: {},
      prompt: 'stdin',
      maxPromptBytes: null,
      output: 'text',
      events: [],
      successExits: [0],
      access: null,
      retries: { argv: [], environment: {}, announced: [] },
      version: null,
      packageName: null,
      timeoutMs: 600_000,
      exits: { timeout: 13, failure: 12, missingBinary: 10, badInput: 11 },
    },
  });
});

test('what is said of it', async ({ folder }) => {
  const text = `tools:
  mine:
    binary: mine
    argv: [ask, [--model, '{model}'], [--in, '{session}'], '{access}']
    output: json
    document: { answer: out.0.text, session: id, tokens: { input: n } }
    access: { read: [-r] }
    exits: { timeout: 99 }
`;
  const { mine } = (await read(folder, text)) as unknown as Record<string, Record<string, unknown>>;
  assert.equal(mine!.events, [{ when: {}, answer: 'out.0.text', session: 'id', tokens: { input: 'n' } }]);
  assert.equal(mine!.access, { read: ['-r'] });
  assert.equal(mine!.exits, { timeout: 99, failure: 12, missingBinary: 10, badInput: 11 });
});

test('how long its prompts and its sessions may be is its own, and the default of the others stays', async ({
  folder,
}) => {
  writeFileSync(
    path.join(folder, 'tollgate.yaml'),
    'tools:\n  mine: { binary: x, max_chars: 20000, context_limit: 32000 }\n  other: { binary: x }\n',
  );
  const project = await readProject(folder);
  assert.is(project.how, 'read');
  const { prompts, sessions } = (project as { value: ProjectFile }).value;
  const limits = ['mine', 'other', 'codex'].map((tool) => [
    promptLimit(prompts, tool as Tool, undefined),
    rowOf(sessions.context_limit, tool as Tool, 'default'),
  ]);
  assert.equal(limits, [
    [20_000, 32_000],
    [400_000, 'default'],
    [400_000, SESSION_DEFAULTS.context_limit.codex],
  ]);
});

const MISTAKES: [what: string, body: string, told: RegExp][] = [
  ['no binary', 'argv: [x]', /^tollgate\.yaml:3: tools\.mine\.binary is missing/],
  ['an unknown field', 'binary: x\n    ouput: text', /:4: tools\.mine\.ouput is unknown; did you mean output\?/],
  [
    'an unknown place',
    "binary: x\n    argv: [-m, '{modle}']",
    /:4: tools\.mine\.argv\[1\] has no such place as \{modle\}; did you mean \{model\}\?/,
  ],
  [
    'a list of words in a variable',
    "binary: x\n    access: { read: [--safe] }\n    environment: { MODE: '{access}' }",
    /:5: tools\.mine\.environment\.MODE has \{access\}, which is a list of words; it can only be a whole word of argv/,
  ],
  [
    'a list of words in a word',
    "binary: x\n    argv: [a, [--do, '--tries={retries}']]",
    /:4: tools\.mine\.argv\[1\]\[1\] has \{retries\}, which is a list of words/,
  ],
  ['lines without events', 'binary: x\n    output: lines', /tools\.mine\.events is missing: of output lines/],
  ['json without an answer', 'binary: x\n    output: json', /tools\.mine\.document has no answer/],
  ['events of text', 'binary: x\n    events: [{ answer: a }]', /:4: tools\.mine\.events is for output lines alone/],
  [
    'a prompt by file without its place',
    'binary: x\n    prompt: file',
    /tools\.mine\.argv has no place \{prompt_file\}/,
  ],
  [
    'an answer by file without its place',
    'binary: x\n    output: file',
    /tools\.mine\.argv has no place \{answer_file\}/,
  ],
  [
    'a session that nobody can name',
    'binary: x\n    output: json\n    document: { answer: a, session: s }',
    /has no place \{session\}/,
  ],
  [
    'a variable of ours',
    'binary: x\n    environment: { TOLLGATE_STATE: y }',
    /:4: tools\.mine\.environment\.TOLLGATE_STATE is a name that cannot be used here: it must be the name of a variable/,
  ],
  [
    'a trailer of a file',
    'binary: x\n    output: file\n    trailer: ["Sum {total}"]',
    /:5: tools\.mine\.trailer is for output text/,
  ],
  [
    'a trailer without a count',
    'binary: x\n    trailer: [Bye*]',
    /:4: tools\.mine\.trailer\[0\] must have a count: \{input\}/,
  ],
  [
    'an answer in the log',
    'binary: x\n    log: { variable: L, events: [{ answer: a }] }',
    /events\[0\]\.answer is unknown/,
  ],
  [
    'settings of retries without their file',
    'binary: x\n    retries: { settings: { a: 1 } }',
    /:4: tools\.mine\.retries\.settings needs settings/,
  ],
  [
    'a secret in its settings',
    'binary: x\n    settings: { variable: S, content: { auth: { api_key: abc-1 } } }',
    /:4: tools\.mine\.settings\.content\.api_key looks like a secret/,
  ],
  [
    'a secret',
    'binary: x\n    environment: { MINE_API_KEY: abc-1 }',
    /:4: tools\.mine\.environment\.MINE_API_KEY looks like a secret.*set it in the environment of tollgate/,
  ],
  [
    'a secret in an address',
    'binary: x\n    retries: { environment: { AT: "https://me:pass-w0rd@host" } }',
    /:4: tools\.mine\.retries\.environment\.AT looks like a secret/,
  ],
  [
    'a key by its form',
    'binary: x\n    argv: [ask, sk-proj-abcdefghijklmnop0123456789ABCD]',
    /:4: tools\.mine\.argv\[1\] looks like a secret.*\$MINE_TOKEN/,
  ],
  [
    'a secret by its flag',
    'binary: x\n    argv:\n      - --password\n      - hunter2x',
    /:6: tools\.mine\.argv\[1\] looks like a secret/,
  ],
  [
    'a secret in a list',
    "binary: x\n    argv: [[--in, '{session}', --token=hunter2x]]",
    /tools\.mine\.argv\[0\]\[2\] looks like a secret/,
  ],
  [
    'a secret of a mode',
    "binary: x\n    access: { read: [-H, 'Authorization: Bearer abcdef0123456789abcdef'] }",
    /:4: tools\.mine\.access\.read\[1\] looks like a secret/,
  ],
  [
    'a key under a plain name',
    'binary: x\n    environment: { MINE: sk-proj-abcdefghijklmnop0123456789ABCD }',
    /:4: tools\.mine\.environment\.MINE looks like a secret/,
  ],
  [
    'a place in other letters',
    "binary: x\n    argv: ['{Model}']",
    /argv\[0\] has no such place as \{Model\}; did you mean \{model\}\?/,
  ],
  ['a place with a hyphen', "binary: x\n    argv: ['--f={prompt-file}']", /did you mean \{prompt_file\}\?/],
  ['a home', 'binary: ~/bin/x', /:3: tools\.mine\.binary is taken literally/],
  ['a variable as a binary', 'binary: $HOME/bin/x', /:3: tools\.mine\.binary is taken literally/],
  [
    'the same name twice',
    'binary: x\n  mine:\n    binary: y',
    /:4: the same name is given twice in one place; keep one of them/,
  ],
  ['too small a prompt', 'binary: x\n    max_chars: 5', /:4: tools\.mine\.max_chars must be at least 10000/],
  ['a binary that is a flag', 'binary: -x', /:3: tools\.mine\.binary must be one line/],
];
for (const [what, body, told] of MISTAKES)
  test(what, async ({ folder }) => {
    assert.match((await read(folder, `tools:\n  mine:\n    ${body}\n`)) as unknown as string, told);
  });

test('a row that is wrong blocks its own CLI alone, whoever names it', async ({ folder }) => {
  const rest = `triage: {rules: [{id: x, tool: bad, match: {text: zork}, class: transient, reason: z, proof: [zork]}]}
pipelines: {own: [{tool: bad, role: review}]}
`;
  const text = `tools:
  good: {binary: x}
  bad: {binary: x, ouput: json}
  worse: 7
  Bad Name: {binary: x}
`;
  writeFileSync(path.join(folder, 'tollgate.yaml'), `${text}${rest}`);
  const got = await readProject(folder);
  if (got.how === 'invalid') return assert.unreachable(got.message);
  assert.equal(Object.keys(got.value.tools), ['good']);
  assert.equal(
    Object.entries(got.value.unsound).map(([name, message]) => `${name} ${message.replaceAll(`${folder}/`, '')}`),
    [
      'bad tollgate.yaml:3: tools.bad.ouput is unknown; did you mean output?',
      'worse tollgate.yaml:4: tools.worse must be object, not number',
      'Bad Name tollgate.yaml: tools.Bad Name must be 1 to 41 of a-z 0-9 _ - and begin with a letter',
    ],
  );
  // Whatever is wrong beside them is told with them.
  writeFileSync(path.join(folder, 'tollgate.yaml'), `${text}rulez: 1\n`);
  const worse = await readProject(folder);
  assert.match(worse.how === 'invalid' ? worse.message : '', /tools\.bad\.ouput is unknown[\s\S]*rulez is unknown/);
});

test('what a place fills in, and a setting under such a name, is no secret', async ({ folder }) => {
  const environment = `{ MY_TOKEN: '{session}', MAX_OUTPUT_TOKENS: '9000' }`;
  assert.ok(
    typeof (await read(folder, `tools:\n  mine:\n    binary: x\n    environment: ${environment}\n`)) === 'object',
  );
  const argv = `[--token, '{session}', --max-tokens, '9000', --api-key-env, MINE_KEY, --key-file, /etc/mine, '{"a":1}']`;
  assert.ok(typeof (await read(folder, `tools:\n  mine:\n    binary: x\n    argv: ${argv}\n`)) === 'object');
});

for (const name of ['any', 'tollgate', 'run_codex'])
  test(`${name} is not a name of one's own`, async ({ folder }) => {
    assert.match(
      (await read(folder, `tools:\n  ${name}:\n    binary: x\n`)) as unknown as string,
      /name of tollgate itself/,
    );
  });

test('a built-in CLI may have a prefix alone', async ({ folder }) => {
  const message = await read(folder, 'tools:\n  gemini:\n    binary: x\n    prefix: [box]\n');
  assert.match(message as unknown as string, /:3: tools\.gemini\.binary is unknown; expected one of prefix/);
});

test('a name that cannot stand in a file name', async ({ folder }) => {
  assert.match(
    (await read(folder, 'tools:\n  Mine:\n    binary: x\n')) as unknown as string,
    /:3: tools\.Mine must be 1 to 41 of a-z/,
  );
});

test('rows of triage and pipelines may name it, and nobody else', async ({ folder }) => {
  const text = (tool: string) => `tools: { mine: { binary: x } }
triage: { rules: [{ id: x, tool: ${tool}, match: { text: [a b] }, class: auth, reason: r }] }
pipelines: { own: [{ tool: ${tool}, role: brief }] }
`;
  assert.ok(typeof (await read(folder, text('mine'))) === 'object');
  const told = (await read(folder, text('mien'))) as unknown as string;
  assert.match(told, /:2: triage\.rules\[0\]\.tool must be one of any, .*, mine; did you mean mine\?/);
  assert.match(told, /:3: pipelines\.own\[0\]\.tool must be one of .*, mine; did you mean mine\?/);
});

test.run();
