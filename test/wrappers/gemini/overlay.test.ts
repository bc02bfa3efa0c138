// When gemini is given a model, so that no router is asked (and paid) first.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallRequest } from '../../../wrappers/adapter.ts';
import { overlay } from '../../../wrappers/gemini/overlay.ts';

const test = suite('gemini overlay');
const NAMED = '{"model": {"name": "mine"}}';
const PRO = ['--model', 'pro'];

interface Row {
  why: string;
  /** By their path in the home folder; `system.json` is the administrator's. */
  files?: Record<string, string>;
  request?: Partial<CallRequest>;
  env?: Record<string, string>;
  argv: string[];
}

const ROWS: readonly Row[] = [
  { why: 'nobody names one', argv: PRO },
  { why: 'the call names one', request: { model: 'other' }, argv: [] },
  { why: 'a resume asks the router as well', request: { resumeSession: 'abc' }, argv: ['--model', 'pro'] },
  { why: 'the environment names one', env: { GEMINI_MODEL: 'other' }, argv: [] },
  { why: 'the user names one', files: { '.gemini/settings.json': NAMED }, argv: [] },
  {
    why: 'the user names one, and an empty variable no other home',
    env: { GEMINI_CLI_HOME: '' },
    files: { '.gemini/settings.json': NAMED },
    argv: [],
  },
  { why: 'the project names one', files: { 'project/.gemini/settings.json': NAMED }, argv: [] },
  { why: 'the administrator names one', files: { 'system.json': NAMED }, argv: [] },
  { why: 'the user only comments', files: { '.gemini/settings.json': '// {"model": {"name": "old"}}\n{}' }, argv: PRO },
  { why: 'the project only comments', files: { 'project/.gemini/settings.json': `{} /* ${NAMED} */` }, argv: PRO },
  { why: 'the administrator only comments', files: { 'system.json': '{"ui": {} // "model"\n}' }, argv: PRO },
  { why: 'the user comments on the one named', files: { '.gemini/settings.json': `/* why */ ${NAMED}` }, argv: [] },
  { why: 'gemini will refuse the settings', files: { '.gemini/settings.json': '{"model": ' }, argv: [] },
];

for (const { why, files = {}, request = {}, env = {}, argv } of ROWS)
  test(`${argv.length > 0 ? 'a model is given' : 'no model is given'}: ${why}`, () => {
    const home = mkdtempSync(path.join(tmpdir(), 'home-'));
    try {
      for (const [name, text] of Object.entries({ 'project/x': '', ...files })) {
        mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
        writeFileSync(path.join(home, name), text);
      }
      const environment = { HOME: home, GEMINI_CLI_SYSTEM_SETTINGS_PATH: path.join(home, 'system.json'), ...env };
      const found = overlay({ ...REQUEST, cwd: path.join(home, 'project'), environment, ...request });
      for (const folder of found.folders) rmSync(folder, { recursive: true });
      assert.equal([found.argv, found.warnings], [argv, []]);
    } finally {
      rmSync(home, { recursive: true });
    }
  });

/** With the inner retries allowed nothing is missed where no folder is safe. */
const REQUEST: CallRequest = {
  model: null,
  resumeSession: null,
  newSession: '00000000-0000-4000-8000-000000000000',
  access: 'read',
  maxTurns: null,
  innerRetries: 'allow',
  trustWorkspace: true,
  cwd: '/',
  environment: {},
  own: {},
};

test.run();
