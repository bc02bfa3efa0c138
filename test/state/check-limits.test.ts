// What preflight says of limits and holds: nothing where there are none, which are held, and which file cannot be read.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkLimits } from '../../state/checks.ts';

test('holds are noted, and what cannot be read fails', () => {
  const home = mkdtempSync(path.join(tmpdir(), 'limits-'));
  const folder = path.join(home, '.local/state/tollgate/limits');
  const now = new Date('2026-11-23T12:00:00Z');
  const look = () => checkLimits({ HOME: home }, now);
  assert.is(look(), null);
  mkdirSync(folder, { recursive: true });
  const until = now.getTime() + 3_600_000;
  const hold = { tool: 'codex', account: 'signed in', model: null, reason: 'plan', until, seen_at: now.getTime() };
  const holds = [{ ...hold, probe: null }, { ...hold, until: now.getTime() - 1, probe: null }, 'none'];
  writeFileSync(path.join(folder, 'holds.json'), JSON.stringify({ v: 1, holds }));
  assert.equal(look(), {
    status: 'note',
    found: 'codex (signed in) is held since 2026-11-23T12:00:00.000Z (plan), until 2026-11-23T13:00:00.000Z',
    fix: 'ask anyway: --ignore-hold',
  });
  writeFileSync(path.join(folder, 'limits.json'), 'nonsense');
  assert.is(look()?.status, 'fail');
  rmSync(home, { recursive: true });
});

test.run();
