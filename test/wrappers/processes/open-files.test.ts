// Which files those who called us have open for writing is told anew each time, however few processes are looked at for it.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, statSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { filesOfCallers } from '../../../wrappers/processes/open-files.ts';
import { temporaryFolder } from '../../rig/temporary-folder.ts';

const test = suite<{ folder: string; children: ChildProcess[] }>('open files');
test.before.each((context) => {
  Object.assign(context, { folder: temporaryFolder('open-files-'), children: [] });
});
test.after.each(({ children }) => {
  for (const child of children) child.kill('SIGKILL');
});

/** Holds the file open until it is killed. @returns its inode, once it runs. */
async function holding(
  { folder, children }: { folder: string; children: ChildProcess[] },
  name: string,
  session: 'ours' | 'its_own',
): Promise<number> {
  const file = path.join(folder, name);
  const fd = openSync(file, 'a');
  const child = spawn('sh', ['-c', 'echo begun; read _'], {
    detached: session === 'its_own',
    stdio: ['pipe', 'pipe', fd],
  });
  closeSync(fd);
  children.push(child);
  await once(child.stdout!, 'data');
  return statSync(file).ino;
}

const isLinux = process.platform === 'linux';

if (isLinux)
  test('who joins our session between two looks is seen by the second, and who has one of its own by neither', async (context) => {
    const { folder } = context;
    const first = await holding(context, 'first.log', 'ours');
    assert.is((await filesOfCallers(folder)).has(first), true);
    const [second, other] = [await holding(context, 'second.log', 'ours'), await holding(context, 'o.log', 'its_own')];
    const now = await filesOfCallers(folder);
    assert.equal([now.has(first), now.has(second), now.has(other)], [true, true, false]);
    assert.is((await filesOfCallers(folder)).has(other), false);
  });

if (isLinux)
  test('what a caller has closed is its file no more', async (context) => {
    const { folder, children } = context;
    const ino = await holding(context, 'first.log', 'ours');
    assert.is((await filesOfCallers(folder)).has(ino), true);
    children[0]!.kill('SIGKILL');
    await once(children[0]!, 'close');
    assert.is((await filesOfCallers(folder)).has(ino), false);
  });

test.run();
