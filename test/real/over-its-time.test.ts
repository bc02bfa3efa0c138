// A command of claude's that is over its time: it is ended and the model told so, where claude would answer while it goes on.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { startModelApi } from '../rig/model-api.ts';
import { RealHome } from './real-home.ts';

test('the answer comes after the end of the command', async () => {
  const api = await startModelApi();
  const home = new RealHome('claude', api.url('toolsleep'));
  try {
    const [out, err, result] = ['out', 'err', 'record.json'].map((name) => path.join(home.root, name)) as [
      string,
      string,
      string,
    ];
    const argv = ['--prompt-file', home.write('prompt.md', 'Sleep.\n'), '--out', out, '--err', err, '--result', result];
    const flags = ['--trust-workspace', '--access', 'full'];
    const env = { BASH_DEFAULT_TIMEOUT_MS: '2000' };
    const { code } = await home.start(ADAPTERS.claude.command, [...argv, ...flags], { env }).result;
    const { ending, usage } = JSON.parse(readFileSync(result, 'utf8')) as CallRecord;
    // A command in the background would keep claude: its call would be ended as one that lingers.
    assert.equal([code, ending, usage.api_requests], [0, 'exited', 2]);
    assert.is(readFileSync(out, 'utf8').trim(), 'DONE-AFTER-TOOL');
    assert.equal(home.survivors(), []);
  } finally {
    await home.dispose();
    await api.close();
  }
});

test.run();
