// Calls the CLIs of the catalogue, added by `tollgate tools add`, in the scenarios of the matrix, and looks at everything afterwards.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as assert from 'uvu/assert';
import type { ErrorClass } from '../../../policies/facts/classes.ts';
import { EXIT_BY_SIGNAL, OWN_EXIT } from '../../../policies/facts/exit-codes.ts';
import type { CallRecord } from '../../../policies/report/call-record.ts';
import { readScenario } from '../../rig/model-api/scenario.ts';
import type { ModelApi } from '../../rig/model-api.ts';
import type { RunningCommand } from '../../rig/running-command.ts';
import { RealHome } from '../real-home.ts';
import { PLAIN_ROWS } from './plain-rows.ts';
import { type CatalogueCli, isInSuite, type MatrixRow } from './rows.ts';
import { SPECIAL_ROWS } from './special-rows.ts';

/**
 * The scenarios of the four built-in CLIs that are not about one of them, its routes or its own checks of folder and login.
 * @param cli null for those of any.
 */
export const catalogueRows = (cli: CatalogueCli | null): MatrixRow[] =>
  [...PLAIN_ROWS, ...SPECIAL_ROWS]
    .filter(
      ({ setup = {} }) => setup.route === undefined && setup.credentials === undefined && setup.trust === undefined,
    )
    .filter((row) => cli === null || isInSuite(row, cli));

export interface Seen {
  exit: number | null;
  class: ErrorClass | null | '(no record)';
  reason: string | null;
  requests: number;
  survivors: number;
  answer: string | null;
  /** What the model says in the end. */
  said: string;
  stderr: string;
}

const FOLDER = path.resolve('test/real/catalogue/node_modules');
const KEY = 'sk-test-000000000000';

/** What each needs to speak to the loopback alone. */
const ENVIRONMENTS: Record<CatalogueCli, (url: string) => Record<string, string>> = {
  opencode: (url) => {
    const options = { baseURL: `${url}/v1`, apiKey: KEY };
    const test = { npm: '@ai-sdk/openai-compatible', name: 'test', options, models: { m: { name: 'm' } } };
    const config = { provider: { test }, model: 'test/m', small_model: 'test/m', share: 'disabled', autoupdate: false };
    return {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    };
  },
  qwen: (url) => ({
    OPENAI_API_KEY: KEY,
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_MODEL: 'test-model',
    QWEN_USAGE_STATISTICS_ENABLED: 'false',
  }),
};

const ON_PATH: Record<CatalogueCli, string> = {
  opencode: path.join(FOLDER, 'opencode-linux-x64/bin'),
  qwen: path.join(FOLDER, '.bin'),
};

/** What `tollgate tools add` writes. */
async function described(cli: CatalogueCli): Promise<string> {
  const known = ADDED.get(cli);
  if (known !== undefined) return known;
  const home = new RealHome([], '');
  try {
    const { code, stderr } = await home.start('tollgate', ['tools', 'add', cli]).result;
    assert.is(code, 0, stderr);
    const text = readFileSync(path.join(home.project, 'tollgate.yaml'), 'utf8');
    ADDED.set(cli, text);
    return text;
  } finally {
    await home.dispose();
  }
}

const ADDED = new Map<CatalogueCli, string>();

/** A home and a project with the row of the catalogue. */
export async function openHome(cli: CatalogueCli, url: string): Promise<RealHome> {
  const home = new RealHome([], '');
  Object.assign(home.env, ENVIRONMENTS[cli](url), { PATH: `${ON_PATH[cli]}:${home.env.PATH}` });
  // The package that chooses among those for each kind of machine cannot be pinned where a registry lacks one of them.
  home.write('tollgate.yaml', (await described(cli)).replace('package: opencode-ai', 'package: opencode-linux-x64'));
  return home;
}

export async function callOnce(home: RealHome, cli: CatalogueCli, flags: readonly string[], prompt?: string) {
  const files = { out: path.join(home.root, 'answer.out'), record: path.join(home.root, 'record.json') };
  const file = prompt === undefined ? path.join(home.project, 'no-such-prompt.md') : home.write('prompt.md', prompt);
  const running = home.start(
    'tollgate',
    [
      ...['call', cli, '--prompt-file', file, '--out', files.out, '--err', path.join(home.root, 'answer.err')],
      ...['--result', files.record, '--trust-workspace', ...flags],
    ],
    { limitMs: 400_000 },
  );
  const record = () =>
    existsSync(files.record) ? (JSON.parse(readFileSync(files.record, 'utf8')) as CallRecord) : null;
  return { running, record, answer: () => (existsSync(files.out) ? readFileSync(files.out, 'utf8') : null) };
}

const MAX_LIMIT_MS = 150_000;

export async function callInScenario(cli: CatalogueCli, row: MatrixRow, api: ModelApi): Promise<Seen> {
  const isOverTime = row.deadline === 'involved' && !row.setup?.terminated;
  const limit = row.setup?.limit ?? (isOverTime ? ({ flag: '--timeout-ms', ms: 12_000 } as const) : undefined);
  if (limit === undefined) return callWith(cli, row, api, `${cli} ${row.name}`, row.setup?.flags ?? []);
  // On a busy machine a limit may end a CLI before it requests the model.
  for (let { ms } = limit; ; ms *= 2) {
    const wall = limit.flag === '--timeout-ms' ? [] : ['--timeout-ms', String(MAX_LIMIT_MS)];
    const flags = [...wall, limit.flag, String(ms)];
    const seen = await callWith(cli, row, api, `${cli} ${row.name} ${ms}`, flags);
    const atLeast = row.scenario === 'tool-then-stalls' ? 2 : 1;
    if (seen.requests >= atLeast || 2 * ms > MAX_LIMIT_MS) return seen;
  }
}

async function callWith(cli: CatalogueCli, row: MatrixRow, api: ModelApi, run: string, flags: readonly string[]) {
  const { scenario = row.name, setup = {} } = row;
  const home = await openHome(cli, addressOf(setup.address) ?? api.url(scenario, run));
  try {
    if (setup.binary === 'missing') home.env.PATH = '/usr/bin:/bin';
    const prompt = setup.prompt === 'no file' ? undefined : (setup.prompt ?? 'Say hello.\n');
    const wall = flags.includes('--timeout-ms') ? [] : ['--timeout-ms', String(MAX_LIMIT_MS)];
    const { running, record, answer } = await callOnce(home, cli, ['--access=full', ...wall, ...flags], prompt);
    if (setup.terminated) await terminate(running, () => api.paid(run).length > 0);
    const { code, stderr } = await running.result;
    const { reply, afterTool = reply } = readScenario(scenario);
    return {
      exit: code,
      class: record() === null ? ('(no record)' as const) : record()!.verdict.class,
      reason: record()?.verdict.reason ?? null,
      requests: api.paid(run).length,
      survivors: home.survivors().length,
      answer: answer(),
      said: afterTool.how === 'says' ? afterTool.saying.text : '',
      stderr,
    };
  } finally {
    await home.dispose();
  }
}

function addressOf(address: 'refused' | 'unknown host' | undefined): string | null {
  if (address === 'refused') return 'http://127.0.0.1:9'; // the discard port, where no process listens
  return address === 'unknown host' ? 'http://no-such-host.invalid' : null;
}

/** No event announces a request to the model API, so it is polled. */
async function terminate(running: RunningCommand, isRequested: () => boolean): Promise<void> {
  let isOver = false;
  const over = running.result.finally(() => {
    isOver = true;
  });
  while (!isOver && !isRequested()) await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 50))]);
  running.signal('SIGTERM');
}

export const EXITS = {
  ...{ ok: 0, failure: OWN_EXIT.failure, timeout: OWN_EXIT.timeout, terminated: EXIT_BY_SIGNAL.SIGTERM },
  ...{ missingBinary: OWN_EXIT.missingBinary, badInput: OWN_EXIT.badInput },
} as const;
