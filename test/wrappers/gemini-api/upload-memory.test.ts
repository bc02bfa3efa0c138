// A book is uploaded in the memory of a few buffers, however large it is.

import { execFile } from 'node:child_process';
import { closeSync, ftruncateSync, openSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startDocumentApi } from '../../rig/document-api.ts';
import { ownScript } from '../../rig/own-script.ts';
import { temporaryFolder } from '../../rig/temporary-folder.ts';

const MIB = 1024 * 1024;
/** More than the limit, so that one that was held as a whole could not stay below it; 500 MB were measured at 92 to 99 MiB. */
const BOOK_MIB = 200;
const LIMIT_MIB = 150;

test(`a book of ${BOOK_MIB} MiB is uploaded below ${LIMIT_MIB} MiB of memory`, async () => {
  const folder = temporaryFolder('large-');
  const file = path.join(folder, 'book.pdf');
  const fd = openSync(file, 'w');
  ftruncateSync(fd, BOOK_MIB * MIB);
  closeSync(fd);
  // As the service has it: pieces of 8 MiB.
  const api = await startDocumentApi({ granularity: 8 * MIB });
  const script = ownScript(path.join(import.meta.dirname, '../../rig/upload-child.ts'));
  const { stdout } = await promisify(execFile)(process.execPath, [...script, api.url, file], { timeout: 120_000 });
  const { state, peakMib } = JSON.parse(stdout) as { state: string; peakMib: number };
  assert.is(state, 'PROCESSING');
  assert.is(api.requests('piece').length, BOOK_MIB / 8);
  assert.ok(peakMib < LIMIT_MIB, `${peakMib} MiB`);
  await api.close();
});

test.run();
