// One process in a group of its own, its output, and its end at the latest after a while: a test that hangs stops nobody.
import { spawn } from 'node:child_process';

/** What else holds its output, in a group of its own, may say a last word for so long after the end. */
const LAST_WORD_MS = 1000;

const running = new Set();
// Their groups do not hear what a terminal sends to ours.
process.on('exit', () => running.forEach((child) => void endGroup(child)));
for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }))
  process.on(signal, () => process.exit(128 + number));

/** @returns `overdue`: it ran over the limit and was ended, with all that it started and that stayed in its group. */
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
    if (error.code !== 'ESRCH') throw error; // none of it is left
  }
}
