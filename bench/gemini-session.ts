// How long the last 20 turns of a gemini session of 100 MB take, and how much memory: `node --import tsx bench/gemini-session.ts`.

import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { peakKib } from '../test/rig/peak-memory.ts';
import { GEMINI_SESSIONS } from '../wrappers/gemini/sessions/store.ts';

const RECORDS = 50_000;
const BYTES = 100_000_000;

const file = process.argv[2];
if (file !== undefined) measure(file);
else
  for (const kind of ['grown', 'resumed']) {
    const folder = mkdtempSync(path.join(tmpdir(), 'gemini-bench-'));
    try {
      const file = path.join(folder, 'session-2026-11-21T20-00-aaaaaaaa.jsonl');
      write(file, kind === 'resumed');
      const argv = [...process.execArgv, import.meta.filename, file];
      process.stdout.write(`${kind}: ${execFileSync(process.execPath, argv, { encoding: 'utf8' })}`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

function measure(file: string): void {
  const { size, mtimeMs } = statSync(file);
  const session = { id: 'a', file, cwd: null, cliVersion: null, bytes: size, changedAtMs: mtimeMs };
  const startedAt = performance.now();
  const conversation = GEMINI_SESSIONS.open({ tool: 'gemini', ...session });
  const { turns } = conversation;
  const items = conversation.read(turns - 19, turns).flatMap(({ items }) => items).length;
  const tookMs = Math.round(performance.now() - startedAt);
  const sinceStartMs = Math.round(performance.now());
  const cpuMs = Math.round((process.cpuUsage().user + process.cpuUsage().system) / 1000);
  const rssMb = Math.round(peakKib() / 1024);
  const mb = Math.round(size / 1e6);
  console.log(
    `${mb} MB, ${turns} turns, the last 20 with ${items} items in ${tookMs} ms (process ${sinceStartMs} ms, CPU ${cpuMs} ms, ${rssMb} MB)`,
  );
}

/** As gemini writes it: each record is followed by a touch of the time; a resume writes the whole list once more. */
function write(file: string, resumed: boolean): void {
  const fd = openSync(file, 'w');
  const line = (record: unknown) => writeSync(fd, `${JSON.stringify(record)}\n`);
  const timestamp = '2026-11-21T20:00:00.000Z';
  const touch = { $set: { lastUpdated: timestamp } };
  const padding = 'The quick brown fox jumps over the lazy dog. '.repeat(Math.ceil(((BYTES / RECORDS) * 1.55) / 45));
  line({ sessionId: 'aaaaaaaa-0000-4000-8000-000000000000', projectHash: 'c3', startTime: timestamp, kind: 'main' });
  const messages = Array.from({ length: RECORDS / 5 }, (_, n) => {
    const [id, call] = [`00000000-0000-4000-8000-${String(n).padStart(12, '0')}`, `call-${n}`];
    const response = { functionResponse: { id: call, name: 'run_shell_command', response: { output: padding } } };
    const step = { id: `g${id}`, timestamp, type: 'gemini', content: padding, tokens: { input: n, output: 1 } };
    return [
      { id: `u${id}`, timestamp, type: 'user', content: [{ text: `Question ${n}` }] },
      { ...step, toolCalls: [{ id: call, name: 'run_shell_command', args: {}, result: [response] }] },
      { id: `r${id}`, timestamp, type: 'user', content: [response] },
    ];
  }).flat();
  if (resumed) line({ $set: { messages, lastUpdated: timestamp } });
  else
    messages.forEach((message, i) => {
      line(message);
      if (i % 3 !== 1) line(touch);
    });
  closeSync(fd);
}
