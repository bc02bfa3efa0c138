// Told to stop in the middle of a tool: the wrapper leaves with its own code, a record and nobody behind.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WRAPPER_EXIT } from '../../policies/facts/exit-codes.ts';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { type ModelApi, startModelApi } from '../rig/model-api.ts';
import { TOO_LATE, withinLimit } from '../rig/within-limit.ts';
import { RealHome } from './real-home.ts';

const test = suite<{ api: ModelApi }>('endings');
test.before.each(async (context) => {
  context.api = await startModelApi();
});
test.after.each(({ api }) => api.close());

/** A CLI is ended in the same way whatever ended its wrapper; test/bin/wrappers.test.ts has every signal. */
const SIGNALS = {
  gemini: ['SIGTERM', 143],
  copilot: ['SIGINT', 130],
  codex: ['SIGHUP', 129],
  claude: ['SIGTERM', 143],
} as const satisfies Record<BuiltIn, readonly [NodeJS.Signals, number]>;

for (const tool of TOOLS) {
  const [signal, exit] = SIGNALS[tool];
  test(`${tool} in a tool, ${signal}: exit ${exit}`, async ({ api }) => {
    await inTool(
      tool,
      [],
      async (home, running, record) => {
        running.signal(signal);
        assert.is((await running.result).code, exit);
        assert.equal(home.survivors(), []);
        assert.is(record().ending, 'cancelled');
        assert.is(record().wrapper_exit_code, exit);
      },
      api,
    );
  });

  test(`${tool} in a tool when its time is over`, async ({ api }) => {
    await withinLimit(8000, (limitMs, isOver) =>
      inTool(
        tool,
        ['--timeout-ms', String(limitMs)],
        async (home, running, record) => {
          const { code } = await running.result;
          assert.equal(home.survivors(), []);
          assert.is(record().ending, 'timed_out');
          assert.is(code, WRAPPER_EXIT[tool].timeout);
        },
        api,
        isOver,
      ),
    );
  });
}

test.run();

type Check = (home: RealHome, running: ReturnType<RealHome['start']>, record: () => CallRecord) => Promise<void>;

/** Runs `check` once the CLI's tool sleeps, if it does before its time is over. */
async function inTool(
  tool: (typeof TOOLS)[number],
  flags: string[],
  check: Check,
  api: ModelApi,
  isOver = () => false,
): Promise<typeof TOO_LATE | undefined> {
  const home = new RealHome(tool, api.url('toolsleep'));
  try {
    const [out, err, result] = ['out', 'err', 'record.json'].map((name) => path.join(home.root, name)) as [
      string,
      string,
      string,
    ];
    const argv = ['--prompt-file', home.write('prompt.md', 'Sleep.\n'), '--out', out, '--err', err, '--result', result];
    const running = home.start(ADAPTERS[tool].command, [...argv, '--trust-workspace', '--access', 'full', ...flags]);
    if (!(await sleeps(home, running, isOver))) return TOO_LATE;
    await check(home, running, () => JSON.parse(readFileSync(result, 'utf8')));
  } finally {
    await home.dispose();
  }
}

/** There is no event for a grandchild's start, so the process table is asked until it is there. */
async function sleeps(home: RealHome, running: ReturnType<RealHome['start']>, isOver: () => boolean): Promise<boolean> {
  let said: string | null = null;
  const ended = running.result.then(({ stderr }) => {
    said = stderr;
  });
  while (!home.survivors().some(({ command }) => command === 'sleep 321')) {
    if (isOver()) return false;
    assert.is(said, null, `the wrapper ended before its tool slept: ${said}`);
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 50))]);
  }
  return true;
}
