// The console itself, as a process of its own over a rig's project.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

export interface ConsoleProcess {
  /** With the token that lets a browser in. */
  url: string;
  pid: number;
  end(signal?: NodeJS.Signals): Promise<void>;
}

interface ConsolePlace {
  project: string;
  env: NodeJS.ProcessEnv;
}

export async function startConsole({ project, env }: ConsolePlace, ...flags: string[]): Promise<ConsoleProcess> {
  const argv = [path.resolve('dist/tollgate.cjs'), 'console', '--json', ...flags];
  const child: ChildProcess = spawn(process.execPath, argv, { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let complaint = '';
  child.stderr!.on('data', (chunk) => (complaint += chunk));
  const ended = once(child, 'exit');
  const line = await Promise.race([
    once(createInterface({ input: child.stdout! }), 'line').then(([text]) => text as string),
    ended.then(() => null),
  ]);
  if (line === null) throw new Error(`the console ended: ${complaint}`);
  return {
    url: (JSON.parse(line) as { url: string }).url,
    pid: child.pid!,
    async end(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await ended;
    },
  };
}
