// Runs one real CLI by itself, with the argv and environment that the wrapper would give it.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CallRequest } from '../../../wrappers/adapter.ts';
import { ADAPTERS } from '../../../wrappers/adapters.ts';
import { CLIS, RealHome } from '../../real/real-home.ts';
import { withoutKey } from '../../real/routes.ts';
import type { ModelApi } from '../model-api.ts';
import type { RecordedCase } from './cases.ts';
import { scrub } from './scrub.ts';

export interface Recording {
  stdout: string;
  stderr: string;
  meta: {
    tool: string;
    version: string;
    scenario: string;
    argv: string[];
    exit_code: number | null;
    signal: string | null;
    /** The recorder ended it, because it did not end by itself in time. */
    killed: boolean;
    /** The number of requests that called the model. */
    requests: number;
  };
}

export async function runBare(one: RecordedCase, api: ModelApi): Promise<Recording> {
  const run = `${one.tool}-${one.name}`;
  const home = new RealHome(one.route, addressOf(one, api, run));
  try {
    const environment = one.credentials === 'given' ? home.env : withoutKey(home.env);
    for (const [name, text] of Object.entries(one.home)) {
      mkdirSync(path.dirname(path.join(home.home, name)), { recursive: true });
      writeFileSync(path.join(home.home, name), text);
    }
    if (one.script.length > 0) api.script(one.script, run);
    const request = { ...REQUEST, cwd: home.project, environment, ...one.request };
    const row = ADAPTERS[one.tool];
    const overlay = await row.overlay(request);
    const argv = [...row.argv(request, overlay.argv), ...one.flags].filter((_word, at, all) => kept(one, all, at));
    const env = { ...environment, ...row.environment(request), ...overlay.environment } as Record<string, string>;
    const ended = await spawnBare(one, row.binary, argv, env, home);
    const places = { root: home.root, clis: CLIS, port: api.port };
    const read = (name: string) => scrub(readFileSync(path.join(home.root, name), 'utf8'), places);
    const meta = {
      tool: one.tool,
      version: installedVersion(row.packageName),
      scenario: one.scenario,
      argv: JSON.parse(scrub(JSON.stringify(argv), places)) as string[],
      ...ended,
      requests: api.paid(run).length,
    };
    return { stdout: read('stdout'), stderr: read('stderr'), meta };
  } finally {
    await home.dispose();
  }
}

const REQUEST: Omit<CallRequest, 'cwd' | 'environment'> = {
  model: null,
  resumeSession: null,
  newSession: randomUUID(),
  access: 'full',
  maxTurns: null,
  innerRetries: 'cut',
  trustWorkspace: true,
  own: {},
};

function addressOf(one: RecordedCase, api: ModelApi, run: string): string {
  switch (one.address) {
    case 'api':
      return api.url(one.scenario, run);
    case 'refused':
      return 'http://127.0.0.1:9'; // the discard port, where no process listens
    case 'unknown_host':
      return 'http://no-such-host.invalid'; // a name that never resolves
  }
}

/** For text output the flags that request events are left out. */
function kept({ output }: RecordedCase, argv: string[], at: number): boolean {
  if (output === 'events') return true;
  if (argv[at]!.startsWith('--include-') || argv[at] === '--verbose') return false;
  return argv[at] !== '--json' && argv[at] !== '--output-format' && argv[at - 1] !== '--output-format';
}

/** Uses files for both streams and a separate group; the recorder ends it if it does not end by itself. */
function spawnBare(one: RecordedCase, binary: string, argv: string[], env: Record<string, string>, home: RealHome) {
  const prompt = path.join(home.root, 'prompt.md');
  writeFileSync(prompt, one.prompt);
  const stdio = [
    openSync(prompt, 'r'),
    ...['stdout', 'stderr'].map((name) => openSync(path.join(home.root, name), 'w')),
  ];
  const child = spawn(path.join(CLIS, '.bin', binary), argv, { cwd: home.project, env, stdio, detached: true });
  for (const fd of stdio) closeSync(fd);
  return new Promise<{ exit_code: number | null; signal: string | null; killed: boolean }>((resolve, reject) => {
    let killed = false;
    const limit = setTimeout(() => {
      killed = true;
      if (child.pid) process.kill(-child.pid, 'SIGKILL');
    }, one.limitMs);
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearTimeout(limit);
      resolve({ exit_code: killed ? null : code, signal: killed ? null : signal, killed });
    });
  });
}

function installedVersion(packageName: string): string {
  return JSON.parse(readFileSync(path.join(CLIS, packageName, 'package.json'), 'utf8')).version;
}
