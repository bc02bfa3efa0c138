// Creates a test suite whose commands send traces: each test has a rig, and its collectors are closed after it.

import { suite } from 'uvu';
import { type Collector, openCollector } from './otlp.ts';
import type { Receiver } from './receiver.ts';
import { ANY_ANSWER } from './task-run.ts';
import { TestRig } from './test-rig.ts';

export interface Collecting {
  rig: TestRig;
  open: Receiver[];
}

export function collectorSuite(name: string) {
  const test = suite<Collecting>(name);
  test.before.each(async (context) => {
    context.rig = await TestRig.open();
    context.open = [];
  });
  test.after.each(async ({ rig, open }) => {
    await Promise.all(open.map((one) => one.close()));
    await rig.dispose();
  });
  return test;
}

export async function collectorIn(
  { open }: Pick<Collecting, 'open'>,
  answer?: Parameters<typeof openCollector>[0],
): Promise<Collector> {
  const collector = await openCollector(answer);
  open.push(collector);
  return collector;
}

/** One call of codex for which any answer is accepted. */
export const LOOK = { tool: 'codex', role: 'review', id: 'look', ...ANY_ANSWER };
