// What an abort says of who told us to stop, however many signals it came through.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { stopExit, stoppedBy, stopWords, untilStopped } from '../../../policies/facts/exit-codes.ts';

const ROWS: [reason: unknown, by: string | null, words: string, exit: number][] = [
  ['SIGINT', 'SIGINT', 'SIGINT', 130],
  ['SIGTERM', 'SIGTERM', 'SIGTERM', 143],
  ['SIGHUP', 'SIGHUP', 'SIGHUP', 129],
  ['the time limit of its batch', null, 'the time limit of its batch', 143],
  ['toString', null, 'toString', 143],
  [undefined, null, 'a signal', 143],
];

for (const [reason, by, words, exit] of ROWS)
  test(`aborted with ${String(reason)}`, async () => {
    const controller = new AbortController();
    const stop = AbortSignal.any([controller.signal, new AbortController().signal]);
    assert.equal([stoppedBy(stop), stop.aborted], [null, false]);
    const stopped = untilStopped(stop);
    controller.abort(reason);
    controller.abort('SIGINT');
    await Promise.all([stopped, untilStopped(stop)]);
    assert.equal([stoppedBy(stop), stopWords(stop), stopExit(stop)], [by, words, exit]);
  });

test.run();
