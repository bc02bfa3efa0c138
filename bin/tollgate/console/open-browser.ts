// Opens an address in the browser of this machine.

import { spawn } from 'node:child_process';

export function openBrowser(url: string, failed: (why: string) => void): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [url], { detached: true, stdio: 'ignore' });
  child.on('error', ({ message }) => failed(`no browser could be opened (${message})`));
  child.on('exit', (code) => {
    if (code !== 0 && code !== null) failed(`no browser could be opened (${program} ended with ${code})`);
  });
  child.unref();
}
