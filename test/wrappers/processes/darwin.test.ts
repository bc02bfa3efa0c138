// What macOS tells of its processes, and how it is asked: with programs of that name that say what they were given.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  bootId,
  list,
  living,
  markers,
  owners,
  parseMarkers,
  parseOwners,
  parseRows,
  row,
  signal,
  words,
} from '../../../wrappers/processes/darwin.ts';

const test = suite('darwin');
const PATH = process.env.PATH;
let bin = '';

test.before.each(() => {
  bin = mkdtempSync(path.join(tmpdir(), 'bin-'));
  process.env.PATH = `${bin}:${PATH}`;
});
test.after.each(() => {
  process.env.PATH = PATH;
  rmSync(bin, { recursive: true });
});

function install(name: string, script: string): void {
  writeFileSync(path.join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(path.join(bin, name), 0o755);
}

const PS = `    1     0     1 Ss   Sat Nov 21 20:01:02 2026
  501     1   501 S+   Sun Nov  1 09:00:00 2026
  502   501   501 Z    Sun Nov  1 09:00:01 2026
99998   502 99998 R<s  Mon Nov 23 00:00:00 2026

`;

test('rows: pids, groups, start times and zombies; no sessions, which have no number there', () => {
  assert.equal(parseRows(PS), [
    { pid: 1, ppid: 0, pgid: 1, sid: null, startTime: 'Sat Nov 21 20:01:02 2026', zombie: false },
    { pid: 501, ppid: 1, pgid: 501, sid: null, startTime: 'Sun Nov 1 09:00:00 2026', zombie: false },
    { pid: 502, ppid: 501, pgid: 501, sid: null, startTime: 'Sun Nov 1 09:00:01 2026', zombie: true },
    { pid: 99998, ppid: 502, pgid: 99998, sid: null, startTime: 'Mon Nov 23 00:00:00 2026', zombie: false },
  ]);
  assert.equal(parseRows(''), []);
});

test('markers: by either name, whole, of the listed alone', () => {
  const text = `    1 /sbin/launchd
  501 node gemini.js -o json HOME=/Users/me TOLLGATE_CALL_ID=out/in SHELL=/bin/zsh
  502 bash -c true GEMINI_CLI_TOLLGATE_CALL_ID=out/in
  503 sleep 60 NOT_TOLLGATE_CALL_ID=out/in
  504 sleep 60 TOLLGATE_CALL_ID=of-one-that-came-later
`;
  const found = parseMarkers(text, new Set([1, 501, 502, 503]));
  assert.equal(Object.fromEntries(found), { 501: 'out/in', 502: 'out/in' });
});

test('ps is asked in one time zone and language, whatever the caller lives in', async () => {
  install('ps', 'echo "$TZ $LC_ALL $*" >>"$0.asked"; echo "7 1 7 S at $TZ $LC_ALL"');
  const one = { pid: 7, ppid: 1, pgid: 7, sid: null, startTime: 'at UTC C', zombie: false };
  assert.equal(await list(), [one]);
  assert.equal(await row(7), one);
  await markers([one]);
  assert.is(await words(one), '7 1 7 S at UTC en_US.UTF-8\n');
  assert.is(
    readFileSync(path.join(bin, 'ps.asked'), 'utf8'),
    `UTC C -axo pid=,ppid=,pgid=,stat=,lstart=
UTC C -p 7 -o pid=,ppid=,pgid=,stat=,lstart=
UTC C -axEwwo pid=,command=
UTC en_US.UTF-8 -ww -p 7 -o command=
`,
  );
});

test('owners: the real user of each, all of them in the one namespace there is', () => {
  assert.equal(Object.fromEntries(parseOwners('  501   501\n  502    -2\n99998     0\n')), {
    501: { uid: 501, place: 'here' },
    502: { uid: -2, place: 'here' },
    99998: { uid: 0, place: 'here' },
  });
  assert.equal(parseOwners(''), new Map());
});

test('the users of some processes are asked for in one go, and of none without a question', async () => {
  install('ps', 'echo "$LC_ALL $*" >>"$0.asked"; echo "  501   502"');
  const [some] = parseRows(PS.split('\n')[1]!);
  assert.equal(await owners([]), new Map());
  assert.equal(await owners([some!, { ...some!, pid: 7 }]), new Map([[501, { uid: 502, place: 'here' }]]));
  assert.is(readFileSync(path.join(bin, 'ps.asked'), 'utf8'), 'C -p 501,7 -o pid=,ruid=\n');
});

test('what lives is told by pid and start time, and a zombie does not', async () => {
  install('ps', `cat <<'END'\n${PS}END`);
  const rows = parseRows(PS);
  assert.equal(
    (await living([...rows, { ...rows[0]!, startTime: 'Sat Nov 21 20:01:01 2026' }, { ...rows[1]!, pid: 7 }])).map(
      ({ pid, startTime }) => [pid, startTime],
    ),
    [
      [1, 'Sat Nov 21 20:01:02 2026'],
      [501, 'Sun Nov 1 09:00:00 2026'],
      [99998, 'Mon Nov 23 00:00:00 2026'],
    ],
  );
});

test('a signal goes to none whose number ps now gives to another', async () => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  install('ps', `echo "${child.pid} 1 ${child.pid} S Sun Nov 1 09:00:00 2026"`);
  const [now] = parseRows(`${child.pid} 1 ${child.pid} S Sun Nov 1 09:00:00 2026`);
  assert.equal(await signal([{ ...now!, startTime: 'Sun Nov 1 08:59:59 2026' }], 'SIGKILL'), { hit: [], refused: [] });
  const gone = once(child, 'exit');
  assert.equal(await signal([now!], 'SIGTERM'), { hit: [now!], refused: [] });
  // KILL would have been here first.
  assert.equal(await gone, [null, 'SIGTERM']);
});

test('one that is gone has no row', async () => {
  install('ps', 'exit 1');
  assert.is(await row(7), null);
});

test('the boot is known by the id of its session, asked for once', async () => {
  install('sysctl', 'echo "asked $*" >>"$0.asked"; echo 1E2D3C4B-0000-4000-8000-0123456789AB');
  assert.is(await bootId(), '1E2D3C4B-0000-4000-8000-0123456789AB');
  assert.is(await bootId(), '1E2D3C4B-0000-4000-8000-0123456789AB');
  assert.is(readFileSync(path.join(bin, 'sysctl.asked'), 'utf8'), 'asked -n kern.bootsessionuuid\n');
});

test.run();
