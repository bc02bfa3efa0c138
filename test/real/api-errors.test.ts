// The real CLIs leave in api_errors.log what their service said and the conversation that it refused.

import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { logFiles, readData, readLog } from '../../state/api-errors/read.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { type ModelApi, startModelApi } from '../rig/model-api.ts';
import { RealHome } from './real-home.ts';

const test = suite<{ api: ModelApi }>('API failures of the real CLIs');
test.before.each(async (context) => {
  context.api = await startModelApi();
});
test.after.each(({ api }) => api.close());

/** In the words of each dialect. */
const MISMATCH = /number of function response parts|No tool output found for function call/;

const ROWS: readonly [scenario: string, tool: BuiltIn, status: number | null, said: RegExp, from: string][] = [
  ['tool-then-400', 'gemini', 400, MISMATCH, 'session_file'],
  // Its session file holds no prompt that was never answered.
  ['500', 'gemini', 500, /internal error/, 'client_error'],
  ['tool-then-400', 'codex', null, MISMATCH, 'session_file'],
  // It tells neither the status nor the words of a 500.
  ['500', 'codex', null, /high demand/, 'session_file'],
  ['tool-then-400', 'copilot', 400, MISMATCH, 'session_file'],
  ['500', 'copilot', 500, /server had an error/, 'session_file'],
];

for (const tool of TOOLS)
  for (const [scenario, , status, said, from] of ROWS.filter(([, of]) => of === tool))
    test(`${tool}: ${scenario}`, async ({ api }) => {
      const home = new RealHome(tool, api.url(scenario));
      try {
        mkdirSync(path.join(home.project, '.tmp/state'), { recursive: true });
        home.write('ask.md', 'Say PROMPTWORD.\n');
        const flags = [
          '--prompt-file=ask.md',
          '--out=o',
          '--err=e',
          '--result=r',
          '--access=full',
          '--trust-workspace',
        ];
        const { code, stderr } = await home.start(ADAPTERS[tool].command, flags).result;
        assert.is.not(code, 0, stderr);
        const found = logFiles(path.join(home.project, '.tmp/state')).flatMap((file) => [...readLog(file)]);
        assert.equal(
          found.map(({ how }) => how),
          ['entry'],
        );
        const [entry] = found.flatMap((one) => (one.how === 'entry' ? [one] : []));
        const { message, response, context, before } = entry!.entry;
        const { snapshot } = context;
        const data = readData(entry!.file, entry!.data)!;
        assert.equal([response.status, context.tool], [status, tool]);
        assert.match(message, said);
        assert.equal([snapshot.how, snapshot.how === 'read' && snapshot.from], ['read', from]);
        assert.match(data, 'PROMPTWORD');
        // gemini's own report of the failure has gone with the call.
        assert.equal(
          readdirSync(home.env.TMPDIR!).filter((name) => /^tg-|client-error/.test(name)),
          [],
        );
        if (scenario.startsWith('tool')) assert.match(JSON.stringify(before), 'tool-ran-ok');
      } finally {
        await home.dispose();
      }
    });

test.run();
