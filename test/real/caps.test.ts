// The real CLIs with a cap of tokens: each is ended with at most one request beyond it, and what its requests used is recorded.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TOOLS } from '../../policies/facts/tools.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { startModelApi } from '../rig/model-api.ts';
import { RealHome } from './real-home.ts';

/** The model counts 18 tokens for each request. */
const CAP = 40;
const REACHED_AT = 3;

for (const tool of TOOLS)
  test(`${tool}: an endless loop of tools ends at its cap`, async () => {
    const api = await startModelApi();
    const home = new RealHome(tool, api.url('toolloop'));
    try {
      const result = path.join(home.root, 'record.json');
      const argv = ['--prompt-file', home.write('prompt.md', 'Loop.\n'), '--result', result, `--max-tokens=${CAP}`];
      const { code } = await home.start(ADAPTERS[tool].command, [...argv, '--trust-workspace', '--access', 'full'])
        .result;
      const { ending, verdict, usage, wrapper_exit_code } = JSON.parse(readFileSync(result, 'utf8')) as CallRecord;
      assert.equal([ending, verdict.class, verdict.reason, code], ['over_cap', 'quota', 'budget', wrapper_exit_code]);
      assert.match(verdict.evidence!.text, /^the call used 54 tokens;|^the call used 72 tokens;/);
      const paid = api.paid().length;
      assert.ok(paid >= REACHED_AT && paid <= REACHED_AT + 1, `${paid} requests`);
      assert.ok((usage.total_tokens ?? 0) >= CAP, `${usage.total_tokens} tokens`);
      assert.equal(home.survivors(), []);
    } finally {
      await home.dispose();
      await api.close();
    }
  });

test.run();
