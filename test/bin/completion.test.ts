// Shell completion: what may stand at the end of a line, in real shells, and that no name of a folder is ever run.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('completion');
test.before.each(async (context) => {
  const rig = await TestRig.open();
  rig.write('.git/HEAD', '');
  makeTask(
    rig,
    {
      stages: [
        { tool: 'codex', role: 'brief' },
        { tool: 'gemini', role: 'review' },
      ],
    },
    'fix-login',
  );
  makeTask(rig, { stages: [{ tool: 'codex', role: 'brief' }] }, 'other');
  const session = { session_id: '0123-abc', last_used: '2026-01-01T00:00:00.000Z', error_count: 0 };
  rig.write(
    '.tmp/state/sessions.json',
    JSON.stringify({
      active_sessions: {
        shop: { codex: { ...session, total_tokens: 1, context_tokens: 1, feature_id: 'shop', cwd: rig.project } },
      },
    }),
  );
  context.rig = rig;
});
test.after.each(({ rig }) => rig.dispose());

/** What is there after the last word, as words alone. */
async function complete(rig: TestRig, ...typed: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await rig.run('tollgate', ['completion', '--line', '--', ...typed]);
  assert.equal([code, stderr], [0, ''], typed.join(' '));
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t')[0]!);
}

const ROWS: readonly (readonly [typed: readonly string[], found: readonly string[]])[] = [
  [['tollgate', 'expl'], ['explain']],
  [['/usr/local/bin/tollgate', 'help', 'tri'], ['triage']],
  [
    ['tollgate', 'run', ''],
    ['fix-login', 'other'],
  ],
  [['tollgate', 'run', 'fix'], ['fix-login']],
  [['tollgate', 'run', 'other', '--dead'], ['--deadline']],
  [
    ['tollgate', 'run', 'fix-login', '--redo', ''],
    ['codex_brief', 'gemini_review', 'all'],
  ],
  [['tollgate', 'run', 'fix-login', '--redo=codex'], ['--redo=codex_brief']],
  [['tollgate', 'run', 'fix-login', '--keep', '=', 'g'], ['gemini_review']],
  [['tollgate', 'report', '--format', 'js'], ['json']],
  [['tollgate', 'report', '--task', 'o'], ['other']],
  [
    ['tollgate', 'init', 'x', '--pipeline', 'review_'],
    ['review_only', 'review_cross'],
  ],
  [['tollgate', 'sessions', 'sh'], ['show']],
  [
    ['tollgate', 'history', ''],
    ['shop', '0123-abc'],
  ],
  [
    ['tollgate', 'call', 'co'],
    ['copilot', 'codex'],
  ],
  [
    ['tollgate', 'completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['gemini_headless', '--approval-mode', 'y'], ['yolo']],
  [['run_codex.sh', '--effort', 'x'], ['xhigh']],
  [
    ['preflight', '--qui'],
    ['--quick', '--quiet'],
  ],
  [
    ['tollgate', 'run', '--out', 'x', '--nothing', ''],
    ['fix-login', 'other'],
  ],
  [['tollgate', 'no-such', ''], []],
  [['somebody-else', ''], []],
  [['tollgate', 'triage', ''], []],
];
test('what may be at the end of a line', async ({ rig }) => {
  for (const [typed, found] of ROWS) assert.equal(await complete(rig, ...typed), found, typed.join(' '));
});

const HOSTILE = [
  'a b',
  "quo'te",
  'dou"ble',
  '$(touch ran)',
  '`touch ran`',
  'new\nline',
  'red\u001b[31m',
  '-flag',
  ';touch ran',
  'ta\tb',
];

test('a name that is more than a word to a shell is none', async ({ rig }) => {
  for (const name of HOSTILE) mkdirSync(path.join(rig.project, '.tmp/task', name));
  assert.equal(await complete(rig, 'tollgate', 'run', ''), ['fix-login', 'other']);
  for (const name of HOSTILE) await complete(rig, 'tollgate', 'run', name, '--redo', '');
});

/** What each shell offers for this line, by its own means, and a line for each. */
const SHELLS: Record<string, (line: string) => readonly string[]> = {
  bash: (line) => [
    '--norc',
    '-c',
    `source <(tollgate completion bash); COMP_WORDS=(${line
      .split(' ')
      .map((word) => `'${word}'`)
      .join(
        ' ',
      )}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _tollgate; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p tollgate >&2`,
  ],
  // Its completion proper runs on a terminal alone; what it would be handed is printed.
  zsh: (line) => [
    '-f',
    '-c',
    `autoload -U compinit; compinit -u; source <(tollgate completion zsh); _describe() { print -rl -- "\${(@)found%%:*}" }; _files() { print files }; words=(${line
      .split(' ')
      .map((word) => `'${word}'`)
      .join(' ')}); CURRENT=\${#words}; _tollgate; print -r -- "\${_comps[tollgate]}" >&2`,
  ],
  fish: (line) => [
    '--no-config',
    '-c',
    `tollgate completion fish | source; complete -C '${line.replaceAll("'", "\\'")}' | string replace -r '\\t.*' ''; true`,
  ],
};

for (const [shell, words] of Object.entries(SHELLS)) {
  const isHere = spawnSync(shell, ['-c', 'true']).status === 0;
  const testHere = isHere ? test : test.skip;
  testHere(
    `${shell}${isHere ? '' : ' (skipped: it is not here)'}: tasks, stages and flags; nothing that is typed is run`,
    ({ rig }) => {
      symlinkSync(path.resolve('dist/tollgate.cjs'), path.join(rig.bin, 'tollgate'));
      for (const name of HOSTILE) mkdirSync(path.join(rig.project, '.tmp/task', name));
      const offers = (line: string) => {
        const { stdout, stderr, status } = spawnSync(shell, words(line), {
          cwd: rig.project,
          env: rig.env,
          encoding: 'utf8',
        });
        assert.is(status, 0, stderr);
        return stdout.split('\n').filter((word) => word !== '');
      };
      assert.equal(offers('tollgate run fix'), ['fix-login']);
      assert.equal(offers('tollgate run fix-login --redo g'), ['gemini_review']);
      assert.equal(offers('tollgate report --form'), ['--format']);
      for (const typed of ['$(touch ran)', '`touch ran`', ';touch ran', '"$(touch ran)'])
        offers(`tollgate run ${typed}`);
      assert.not.ok(existsSync(path.join(rig.project, 'ran')));
    },
  );
}

test('each script completes both names of a command', async ({ rig }) => {
  for (const shell of Object.keys(SHELLS)) {
    const { stdout } = await rig.run('tollgate', ['completion', shell]);
    for (const name of ['run_codex', 'run_codex.sh', 'wait_parallel_tasks.sh', 'preflight.sh'])
      assert.match(stdout, new RegExp(`[ (]${name.replace('.', '\\.')}[\\s)]`), `${shell}: ${name}`);
  }
});

test('a shell that is not one of them is refused, and a script is one object for machines', async ({ rig }) => {
  const { code, stderr } = await rig.run('tollgate', ['completion', 'tcsh']);
  assert.equal([code, stderr], [2, 'tollgate completion: "tcsh" is not one of bash, zsh, fish\n']);
  const { stdout } = await rig.run('tollgate', ['completion', 'fish', '--json']);
  assert.match(JSON.parse(stdout).script, 'complete -c $name');
});

test.run();
