// opencode, a CLI that nobody here wrote, by its description in examples/own-cli alone: what fails is told, and paid once.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ErrorClass } from '../../policies/facts/classes.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { type ModelApi, startModelApi } from '../rig/model-api.ts';
import { RealHome } from './real-home.ts';

const test = suite<{ api: ModelApi }>('a CLI of our own description');
test.before(async (context) => {
  context.api = await startModelApi();
});
test.after(({ api }) => api.close());

/** Of its package for this kind of machine: the one that chooses among them cannot be pinned where a registry lacks any of the others. */
const OPENCODE = path.resolve('test/real/node_modules/opencode-linux-x64/bin');

const SCENARIOS: [scenario: string, errorClass: ErrorClass | null][] = [
  ['ok', null],
  ['401', 'auth'],
  ['402billing', 'quota'],
  ['404', 'tooling'],
  ['429', 'transient'],
  ['500', 'transient'],
  ['503', 'transient'],
  ['toolong', 'prompt_too_large'],
  ['empty', 'transient'],
  ['garbage', 'transient'],
  ['resetearly', 'transient'],
  ['nodone', 'transient'],
];
/** It asks for ever where an answer has no end, each time at once: one more may be on its way when it says so. */
const MOST_REQUESTS: Record<string, number> = { nodone: 2 };

for (const [scenario, errorClass] of SCENARIOS)
  test(scenario, async ({ api }) => {
    const home = new RealHome([], '');
    try {
      const described = readFileSync('examples/own-cli/tollgate.yaml', 'utf8');
      writeFileSync(
        path.join(home.project, 'tollgate.yaml'),
        described.replace('package: opencode-ai', 'package: opencode-linux-x64'),
      );
      home.write('ask.md', 'Say hello.\n');
      const files = ['--prompt-file=ask.md', '--out=a.out', '--err=a.err', '--result=a.json'];
      const running = home.start('tollgate', ['call', 'opencode', ...files, '--access=write', '--trust-workspace'], {
        env: { ...environmentOf(api.url(scenario, scenario)), PATH: `${OPENCODE}:${home.env.PATH}` },
        limitMs: 120_000,
      });
      const { code } = await running.result;
      const record = JSON.parse(readFileSync(path.join(home.project, 'a.json'), 'utf8')) as CallRecord;
      const requests = api.paid(scenario).length;
      assert.equal([record.verdict.class, code], [errorClass, errorClass === null ? 0 : 12]);
      assert.ok(requests >= 1 && requests <= (MOST_REQUESTS[scenario] ?? 1), `${requests} requests`);
      assert.equal([record.cli_version, home.survivors()], ['1.18.33', []]);
      if (errorClass === null) assert.is(readFileSync(path.join(home.project, 'a.out'), 'utf8'), 'CANNED-ANSWER 42');
    } finally {
      await home.dispose();
    }
  });

test('it only looks, and goes on in the session that it named', async ({ api }) => {
  const home = new RealHome([], '');
  try {
    const described = readFileSync('examples/own-cli/tollgate.yaml', 'utf8');
    writeFileSync(path.join(home.project, 'tollgate.yaml'), described);
    home.write('ask.md', 'Say hello.\n');
    const files = ['--prompt-file=ask.md', '--out=a.out', '--err=a.err', '--result=a.json'];
    const ask = async (...flags: string[]) => {
      const running = home.start('tollgate', ['call', 'opencode', ...files, '--trust-workspace', ...flags], {
        env: { ...environmentOf(api.url('ok', 'again')), PATH: `${OPENCODE}:${home.env.PATH}` },
        limitMs: 120_000,
      });
      const { code } = await running.result;
      return { code, ...(JSON.parse(readFileSync(path.join(home.project, 'a.json'), 'utf8')) as CallRecord) };
    };
    const first = await ask('--access=read');
    const then = await ask('--access=read', `--resume-session=${first.session_id}`);
    assert.equal([first.code, then.code, api.paid('again').length, home.survivors()], [0, 0, 2, []]);
    assert.ok(first.session_id !== null);
    assert.is(then.session_id, first.session_id);
    assert.equal([...first.warnings, ...then.warnings], []);
  } finally {
    await home.dispose();
  }
});

/** Its provider is the loopback, and it fetches nothing. */
function environmentOf(url: string): Record<string, string> {
  const options = { baseURL: `${url}/v1`, apiKey: 'sk-test-000000000000' };
  const test = { npm: '@ai-sdk/openai-compatible', name: 'test', options, models: { m: { name: 'm' } } };
  const config = { provider: { test }, model: 'test/m', small_model: 'test/m', share: 'disabled', autoupdate: false };
  return {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  };
}

test.run();
