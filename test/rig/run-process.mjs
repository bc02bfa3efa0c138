// Runs one process in a separate group, collects its output, and ends it after a limit, so that a hanging test blocks nothing.
import { spawn } from 'node:child_process';

/** A process in another group that holds the output may still write for this long after the end. */
const LAST_WORD_MS = 1000;

const running = new Set();
// Their groups do not receive what a terminal sends to this process's group.
process.on('exit', () => running.forEach((child) => void endGroup(child)));
for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }))
  process.on(signal, () => process.exit(128 + number));

/** @returns `overdue`: it exceeded the limit and was ended, with all its descendants that stayed in its group. */
export function runProcess(argv, { env, limitSec }) {
  return new Promise((resolve) => {
    const child = spawn(argv[0], argv.slice(1), { env, stdio: ['ignore', 'pipe', 'pipe', 'pipe'], detached: true });
    let [output, timed, overdue] = ['', '', false];
    running.add(child);
    child.stdio[3].on('data', (chunk) => (timed += chunk));
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    const limit = setTimeout(() => {
      overdue = true;
      endGroup(child);
      setTimeout(() => child.stdio.forEach((stream) => void stream?.destroy()), LAST_WORD_MS).unref();
    }, limitSec * 1000);
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      running.delete(child);
      resolve({ code: code ?? signal, output, timed, overdue });
    });
  });
}

function endGroup({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error; // all of it has ended
  }
}
