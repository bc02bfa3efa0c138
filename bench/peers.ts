// Compares the bare codex, a careful bash wrapper and `tollgate call` in six situations, over the loopback: `npm run bench:peers`.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { RealHome } from '../test/real/real-home.ts';
import { startModelApi } from '../test/rig/model-api.ts';
import { findSurvivors } from '../test/rig/survivors.ts';

/** The deadline that the wrappers get. The bare CLI has none, so it is ended after twice the time. */
const LIMIT_SEC = 30;

interface Situation {
  what: string;
  scenario: string;
  /** Whether it is interrupted while the agent's tool runs. */
  interrupted?: true;
  /** Whether an exit code says what happened. */
  isRight(code: number | null): boolean;
}

/** 137: it did not end by itself. */
const fails = (code: number | null) => code !== 0 && code !== 137;

const SITUATIONS: Situation[] = [
  { what: 'an answer', scenario: 'ok', isRight: (code) => code === 0 },
  { what: 'HTTP 500', scenario: '500', isRight: fails },
  { what: '429, reset in an hour', scenario: '429long', isRight: fails },
  { what: 'an empty answer', scenario: 'empty', isRight: fails },
  { what: 'a hang', scenario: 'slow', isRight: (code) => code === 124 },
  { what: 'TERM while a tool runs', scenario: 'toolsleep', interrupted: true, isRight: (code) => code === 143 },
];

type Way = 'codex' | 'bash' | 'tollgate';

const BASH = path.resolve('bench/peers/bash-wrapper.sh');
const TOLLGATE = path.resolve('dist/tollgate.cjs');
const CALL = `call codex --timeout-ms ${LIMIT_SEC * 1000} --access full --trust-workspace --exit-by-class`;

function commandOf(way: Way, home: RealHome): string[] {
  const prompt = home.write('ask.md', 'Say hello.');
  const out = path.join(home.project, 'answer.md');
  switch (way) {
    case 'codex':
      return ['codex', 'exec', '--json', '--skip-git-repo-check', '-s', 'danger-full-access', '-'];
    case 'bash':
      return [BASH, prompt, out];
    case 'tollgate':
      return [process.execPath, TOLLGATE, ...CALL.split(' '), '-f', prompt, '--out', out];
  }
}

interface Measured {
  sec: number;
  requests: number;
  code: number | null;
  survivors: number;
}

async function measure(way: Way, { scenario, interrupted }: Situation): Promise<Measured> {
  const api = await startModelApi();
  const home = new RealHome('codex', api.url(scenario));
  try {
    const [command, ...argv] = commandOf(way, home);
    const env = { ...home.env, LIMIT_SEC: `${LIMIT_SEC}` };
    const began = performance.now();
    const stdin = openSync(path.join(home.project, 'ask.md'), 'r');
    const child = spawn(command!, argv, { cwd: home.project, env, stdio: [stdin, 'ignore', 'ignore'] });
    const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    if (interrupted) await interrupt(child, home);
    const end = setTimeout(() => child.kill('SIGKILL'), 2 * LIMIT_SEC * 1000);
    const [exit, signal] = await ended;
    // As a shell reports it.
    const code = signal === null ? exit : 128 + constants.signals[signal];
    clearTimeout(end);
    const sec = (performance.now() - began) / 1000;
    await pause(500);
    return { sec, requests: api.paid().length, code, survivors: findSurvivors(home.marker).length };
  } finally {
    await home.dispose();
    await api.close();
  }
}

/** Ends the command with TERM once the agent's tool runs. */
async function interrupt(child: ChildProcess, home: RealHome): Promise<void> {
  while (child.exitCode === null && !findSurvivors(home.marker).some(({ command }) => /sleep 321/.test(command)))
    await pause(100);
  child.kill('SIGTERM');
}

const cell = ({ sec, requests, code, survivors }: Measured, isRight: boolean): string =>
  [
    sec >= 2 * LIMIT_SEC - 1 ? `> ${2 * LIMIT_SEC} s` : `${sec.toFixed(1)} s`,
    `${requests} request${requests === 1 ? '' : 's'}`,
    `exit ${code ?? 'none'}${isRight ? '' : ' (wrong)'}`,
    ...(survivors === 0 ? [] : [`${survivors} process${survivors === 1 ? '' : 'es'} left`]),
  ].join(', ');

console.log('| situation | `codex` alone | 40 lines of bash | `tollgate call codex` |\n|---|---|---|---|');
for (const situation of SITUATIONS) {
  const cells: string[] = [];
  for (const way of ['codex', 'bash', 'tollgate'] as const) {
    const measured = await measure(way, situation);
    cells.push(cell(measured, situation.isRight(measured.code)));
  }
  console.log(`| ${situation.what} | ${cells.join(' | ')} |`);
}
