// Keys that a CLI prints wherever it can: none reaches a file that is shown, a page, or an argument of a process.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeCaches } from '../rig/code-caches.ts';
import { SESSION, STREAMS, type Stream, write } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('leaks');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

/** Under names and in shapes that are not all known: what is secret in the value, and the value. */
const KEYS: Record<string, [value: string, secret?: string]> = {
  OPENAI_API_KEY: ['plainvalueofopenai77'],
  GEMINI_API_KEY: ['AIzaSyA-1234567890abcdefghijklmnopqrstu'],
  GITHUB_TOKEN: ['ghp_abcdefghijklmnopqrstuvwxyz0123456789'],
  NPM_TOKEN: ['npm_abcdefghijklmnopqrstuvwxyz0123456789'],
  AWS_SECRET_ACCESS_KEY: ['wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'],
  HTTPS_PROXY: ['http://jo:pr0xyp4ssw0rd@proxy.example:3128', 'pr0xyp4ssw0rd'],
  DATABASE_URL: ['postgres://app:d4t4b4s3p4ss@db/app', 'd4t4b4s3p4ss'],
  AZURE_DEVOPS_EXT_PAT: ['q2w3e4r5t6y7u8i9o0pazsxdcfvgbhnjmk'],
  MYSQL_PWD: ['mysqlp4ssw0rd'],
  DB_PASS: ['dbp4ssw0rd99'],
  npm_config__auth: ['bnBtOmF1dGhvcml6ZWQxMjM='],
  MULTILINE_KEY: ['first-line-of-secret\nsecond-line-of-secret', 'second-line-of-secret'],
};
const SECRETS = Object.values(KEYS).map(([value, secret]) => secret ?? value);
/** Keys that no variable holds are known by their shape. */
const PEM_LINE = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj';
const PEM = `-----BEGIN PRIVATE KEY-----\n${`${PEM_LINE}\n`.repeat(8)}-----END PRIVATE KEY-----`;
const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/=+$/, '');
const FORMS: [form: string, of: (text: string) => string][] = [
  ['as it is', (text) => text],
  ['percent-encoded', encodeURIComponent],
  ['escaped in JSON', (text) => JSON.stringify(text).slice(1, -1)],
  ['base64', base64],
];

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const at = path.join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(at) : entry.isFile() ? [at] : [];
  });
}

/** Which secrets stand in a text, by their variable and form. */
const foundIn = (text: string): string[] => [
  ...SECRETS.flatMap((secret, i) =>
    FORMS.filter(([, of]) => text.includes(of(secret))).map(([form]) => `${Object.keys(KEYS)[i]} ${form}`),
  ),
  ...(text.includes(PEM_LINE) ? ['a private key'] : []),
];

function argvOfAll(): string {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    })
    .join('\n');
}

/** In every file that is ours: of the project, of the user's own state, and what is left in $TMPDIR. */
const leaksBelow = ({ root, project, home, env }: TestRig): string[] =>
  [project, home, env.TMPDIR!]
    .flatMap(filesBelow)
    // A code cache is V8's, of the bundle alone.
    .filter((file) => path.dirname(file) !== codeCaches(home))
    .filter((file) => !/manifest\.json$|inputs\/attachments|\.(?:out|patch)$/.test(file))
    .flatMap((file) => foundIn(readFileSync(file, 'utf8')).map((leak) => `${path.relative(root, file)}: ${leak}`));

const diffOf = (text: string): string =>
  `diff --git a/keys b/keys\n--- a/keys\n+++ b/keys\n@@ -1 +1 @@\n-${text}\n+x\n`;

const all = SECRETS.flatMap((secret) => FORMS.map(([, of]) => of(secret)));
const said = all.map((one) => `Error: the key ${one} was rejected`);

for (const tool of ['codex', 'gemini', 'copilot'] as const)
  test(`${tool}: nothing is shown of what it prints`, async ({ rig }) => {
    for (const [name, [value]] of Object.entries(KEYS)) rig.env[name] = value;
    const { opens, runsTool, fails, retries } = STREAMS[tool];
    const seen: string[] = [];
    rig.answer(async (call) => {
      seen.push(argvOfAll());
      const half = Math.floor(said.length / 2);
      await call.tell(
        write([...opens(SECRETS[0]!), ...runsTool(all.join(' and ')), ...retries(all.slice(0, 9).join(' '), 503)]),
        { do: 'write', to: 'stderr', text: said.slice(0, half).join('\n').slice(0, -5) },
        { do: 'write', to: 'stderr', text: said.slice(0, half).join('\n').slice(-5) },
        { do: 'write', to: 'stderr', text: `\n${said.slice(half).join('\n')}\n` },
        write(fails(`401 Unauthorized: the keys ${all.join(', ')} are not valid`, 401, SECRETS[0]!)),
        { do: 'exit', code: 1 },
      );
    });
    const task = makeTask(rig, {
      goal: `Use ${all.slice(0, 4).join(' ')}.`,
      stages: [{ tool, role: 'brief', ...ANY_ANSWER }],
    });
    mkdirSync(path.join(task.folder, 'inputs/attachments'), { recursive: true });
    writeFileSync(path.join(task.folder, 'inputs/attachments/notes.md'), all.join('\n'));
    const run = await task.outcome();
    const commands = [
      ['explain', 'fix'],
      ['explain', 'fix', '--json'],
      ['report'],
      ['report', '--format', 'json'],
      ['report', '--format', 'md'],
      ['budget', 'fix'],
    ];
    const pages = [`${run.stdout}${run.stderr}`];
    for (const argv of commands) {
      const { stdout, stderr } = await rig.run('tollgate', argv);
      pages.push(stdout + stderr);
    }
    const leaks = [
      ...leaksBelow(rig),
      ...pages.flatMap((page, i) => foundIn(page).map((leak) => `${commands[i - 1]?.join(' ') ?? 'run'}: ${leak}`)),
      ...seen.flatMap((argv) => foundIn(argv).map((leak) => `argv: ${leak}`)),
      ...(seen.some((argv) => argv.includes('Find out')) ? ['argv: the prompt'] : []),
    ];
    assert.equal(seen.length > 0, true);
    assert.equal(leaks, []);
  });

const SAID = [...all, PEM];

/** Each gate that may quote what it does not like. */
const ANSWERS: [gate: string, role: string, more: object, answer: string][] = [
  ['a verdict of FAIL', 'verify', {}, `# Verdict\nFAIL\n\n# Findings\n${SAID.map((one) => `- ${one}\n`).join('')}`],
  ['missing sections', 'brief', { requires: ['Plan'] }, SAID.map((one) => `# ${one}\n`).join('')],
  [
    'a schema',
    'brief',
    { schema: { type: 'object', additionalProperties: { type: 'number' } } },
    JSON.stringify(Object.fromEntries(SAID.map((one) => [one, one]))),
  ],
  ['a diff that does not apply', 'impl', { access: 'read' }, SAID.map(diffOf).join('')],
  ['a refusal', 'review', {}, `I'm sorry, but I can't help with ${KEYS.OPENAI_API_KEY}, ${PEM}.`],
];
for (const [gate, role, more, answer] of ANSWERS)
  test(`${gate}: the gate quotes no key of the answer`, async ({ rig }) => {
    for (const [name, [value]] of Object.entries(KEYS)) rig.env[name] = value;
    const { opens, says, runsTool, succeeds }: Stream = STREAMS.codex;
    const lines = [...opens(SESSION), ...runsTool(SAID.join('\n')), ...says(answer), ...succeeds(SESSION)];
    rig.answer(() => [write(lines), { do: 'exit', code: 0 }]);
    const stages = [{ tool: 'codex', role, ...ANY_ANSWER, ...more }];
    const task = makeTask(rig, { stages, acceptance: { commands: ['cat .tmp/task/fix/outputs/*.out; exit 1'] } });
    const { code, stdout, stderr } = await task.outcome('--trust-workspace');
    assert.is(code, 1, stderr);
    assert.equal([...foundIn(stdout + stderr), ...leaksBelow(rig)], []);
  });

const MESSAGES: [command: string, argv: string[]][] = [
  ['tollgate', ['run', SECRETS[0]!]],
  ['tollgate', ['run', `./${SECRETS[8]!}/x`]],
  ['tollgate', [SECRETS[0]!]],
  ['tollgate', ['run', 'fix', `--${SECRETS[0]!}`, '--json']],
  ['tollgate', ['report', `${SECRETS[0]!}/`]],
  ['run_codex', ['--prompt-file', SECRETS[0]!, '--out', 'o', '--err', 'e']],
  ['wait_parallel_tasks', [SECRETS[0]!]],
];
test('a message repeats no key, nor what a terminal obeys', async ({ rig }) => {
  for (const [name, [value]] of Object.entries(KEYS)) rig.env[name] = value;
  for (const [command, argv] of MESSAGES) {
    const marked = argv.map((word) =>
      SECRETS.some((secret) => word.includes(secret)) ? `${word}\u001b[2J\u009b` : word,
    );
    const { code, stdout, stderr } = await rig.run(command, marked);
    assert.not.equal([code, stderr], [0, ''], `${command} ${argv[0]}`);
    assert.equal(foundIn(stdout + stderr), [], `${command} ${argv[0]}`);
    assert.not.match(argv.includes('--json') ? stderr : stdout + stderr, /[\u001b\u009b]/);
  }
});

test.run();
