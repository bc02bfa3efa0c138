// What is mended before a resume, and what is left to its CLI.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { repairBeforeResume } from '../../../loops/session/repair.ts';
import {
  REGISTER_VERSION,
  type RegisterEntry,
  registerFolder,
  writeEntry,
} from '../../../state/calls/call-register.ts';
import { identify } from '../../../wrappers/processes/identity.ts';

const test = suite<{ broken: Parameters<typeof repairBeforeResume>[0]; file: string }>('mending before a resume');
test.before.each((context) => {
  const home = mkdtempSync(path.join(tmpdir(), 'mending-'));
  const place = path.join(home, '.gemini/tmp/project');
  mkdirSync(path.join(place, 'chats'), { recursive: true });
  writeFileSync(path.join(place, '.project_root'), home);
  const text = readFileSync(path.resolve(import.meta.dirname, '../../sessions/gemini/hanging.jsonl'), 'utf8');
  const sessionId = (JSON.parse(text.split('\n')[0]!) as { sessionId: string }).sessionId;
  context.file = path.join(place, 'chats', `session-2026-11-21T20-04-${sessionId.slice(0, 8)}.jsonl`);
  writeFileSync(context.file, text);
  const environment = { HOME: home };
  context.broken = { tool: 'gemini', sessionId, cliVersion: '0.61.0', environment, cwd: home, clock: () => new Date() };
});
test.after.each(({ broken }) => rmSync(broken.cwd, { recursive: true, force: true }));

test('a call that hangs gets a result', async ({ broken, file }) => {
  const before = readFileSync(file, 'utf8');
  const mended = await repairBeforeResume(broken);
  assert.equal(mended, { how: 'fixed', what: 'repaired 1 call without its result' });
  assert.ok(readFileSync(file, 'utf8').startsWith(before) && readFileSync(file, 'utf8') !== before);
  assert.equal(await repairBeforeResume(broken), { how: 'unchanged' });
});

test('a session in which a call of ours continues is left as it is', async ({ broken, file }) => {
  const before = readFileSync(file);
  const guardian = (await identify(process.pid))!;
  writeEntry(registerFolder(broken.environment)!, {
    v: REGISTER_VERSION,
    call_id: '20261122120000-0123abcd',
    guardian,
    cli: null,
    marker: '20261122120000-0123abcd',
    deadline_at: new Date(Date.now() + 60_000).toISOString(),
    attempt: '/nowhere',
    temporary: '/nowhere',
    overlay_folders: [],
    task: null,
    draft: {},
    session: { tool: 'gemini', id: broken.sessionId },
  } satisfies RegisterEntry);
  assert.equal(await repairBeforeResume(broken), {
    how: 'impossible',
    why: 'the call 20261122120000-0123abcd continues in it',
  });
  assert.equal(readFileSync(file), before);
});

test.run();
