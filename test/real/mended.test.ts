// A conversation that the service would refuse is mended before gemini resumes it, and one that was refused is mended and asked again.

import { spawnSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RunReport } from '../../loops/run/report.ts';
import { ROLES } from '../../policies/manifest/roles.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { isPaired, type Sent, sentHistory } from '../rig/model-api/sent-history.ts';
import { type ModelApi, startModelApi } from '../rig/model-api.ts';
import { RealHome } from './real-home.ts';

const test = suite<{ api: ModelApi; home: RealHome }>('mended');
test.before.each(async (context) => {
  context.api = await startModelApi();
  context.home = new RealHome('gemini', context.api.url('tool'));
});
test.after.each(async ({ api, home }) => {
  await home.dispose();
  await api.close();
});

test('a tool session that is resumed five times is paired each time', async ({ api, home }) => {
  const first = await ask(home, null);
  assert.is(first.verdict.class, null);
  for (let n = 1; n <= 5; n++) {
    const record = await ask(home, first.session_id);
    assert.is(record.verdict.class, null, `resume ${n}: ${record.verdict.evidence?.text}`);
    assert.is(record.session_id, first.session_id);
    assert.match(record.warnings.join('\n'), /repaired \d results? that (?:is|are) sent twice before it was resumed/);
  }
  const histories = historiesOf(api);
  assert.is(histories.length, 12);
  assert.ok(histories.every(isPaired));
  assert.is(histories.at(-1)!.filter(({ responses }) => responses.length > 0).length, 6);
});

test('a call that hangs at the end gets a result', async ({ api, home }) => {
  const { session_id } = await ask(home, null);
  const file = sessionFile(home);
  const called = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"toolCalls"'))
    .map((line) => JSON.parse(line))
    .at(-1);
  const hanging = {
    ...called,
    id: 'hanging',
    toolCalls: [{ ...called.toolCalls[0], id: 'call-2', result: undefined }],
  };
  appendFileSync(file, `${JSON.stringify(hanging)}\n`);
  const record = await ask(home, session_id);
  assert.is(record.verdict.class, null, record.verdict.evidence?.text);
  assert.match(record.warnings.join('\n'), /1 call without its result/);
  assert.ok(historiesOf(api).every(isPaired));
});

test('a history that the service refuses is mended once and asked once more', async ({ api, home }) => {
  spawnSync('git', ['init', '--quiet', home.project]);
  const stages = [
    { tool: 'gemini', role: 'brief', id: 'one', access: 'full', model: MODEL },
    { tool: 'gemini', role: 'review', id: 'two', access: 'full', model: MODEL },
  ];
  const manifest = { task_id: 'fix', goal: 'Look at the file that is called hello.', stages };
  home.write('.tmp/task/fix/manifest.json', JSON.stringify(manifest));
  // The first stage's call and what follows its tool; then a refusal out of the blue.
  api.script(['tool', `says=${BRIEF}`, 'mismatch', `says=${BRIEF}`]);
  const { stdout, stderr } = await home.start('tollgate', ['run', 'fix', '--json', '--trust-workspace']).result;
  const report: RunReport = JSON.parse(stdout);
  assert.is(report.budget.used, 3, `${stdout}${stderr}`);

  assert.is(report.exit_code, 0, stderr);
  const [, , refused, again] = historiesOf(api);
  assert.equal(
    again!.map(({ by }) => by),
    refused!.map(({ by }) => by),
  );
  assert.is(again!.at(-1)!.text, refused!.at(-1)!.text);
});

test.run();

/** Named, since the CLI asks a router first otherwise. */
const MODEL = 'gemini-2.5-flash';

const SECTIONS = [...new Set(Object.values(ROLES).flatMap(({ requires }) => [...requires]))];
const BRIEF = SECTIONS.map((name) => `## ${name}\n\n- one\n- two\n- three\n`).join('\n');

async function ask(home: RealHome, session: string | null): Promise<CallRecord> {
  const prompt = home.write('prompt.md', 'Look at the file that is called hello.\n');
  const result = path.join(home.root, 'result.json');
  const argv = ['--prompt-file', prompt, '--out', path.join(home.root, 'out'), '--err', path.join(home.root, 'err')];
  const more = ['--result', result, '--access', 'full', '--trust-workspace', '--model', MODEL];
  const resume = session === null ? [] : ['--resume-session', session];
  await home.start('gemini_headless', [...argv, ...more, ...resume]).result;
  return JSON.parse(readFileSync(result, 'utf8'));
}

/** What each model request carried, the oldest first. */
const historiesOf = (api: ModelApi): Sent[][] =>
  api.paid().map(({ dialect, body }) => sentHistory(dialect!, JSON.parse(body)));

function sessionFile(home: RealHome): string {
  const folder = path.join(home.home, '.gemini/tmp');
  const found = (readdirSync(folder, { recursive: true }) as string[]).find((name) =>
    /chats\/session-.*\.jsonl$/.test(name),
  );
  return path.join(folder, found!);
}
