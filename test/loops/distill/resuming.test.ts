// A distillation that goes on after it was left in the middle: what lies there, who has it, and what cannot be read.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DistillRig, distillRig, fakeService } from '../../rig/book-service.ts';

const test = suite('a distillation that goes on');

const folderOf = ({ folder }: DistillRig) => path.join(folder, '.tmp/distill/republic');

/** As a kill right behind the last answer's file leaves it: its fact is missing, and whoever drove it is gone. */
function killAtLastAnswer(rig: DistillRig): void {
  const journal = path.join(folderOf(rig), 'state/journal.jsonl');
  const lines = readFileSync(journal, 'utf8').trim().split('\n');
  const last = lines.findLastIndex((line) => line.includes('"answered"'));
  writeFileSync(journal, `${lines.slice(0, last).join('\n')}\n`.replace(/("start_time":")[^"]*/g, '$1gone'));
}

test('an answer that a killed run left, and that is held only now, is not dropped by a resume that knew nothing of it', async () => {
  const rig = distillRig();
  await rig.run(fakeService({ sections: 2, misfortune: (n) => (n === 2 ? { text: 'Yes.' } : null) }));
  killAtLastAnswer(rig);
  const service = fakeService({ sections: 2 });
  await rig.run(service, { how: 'resume' });
  assert.is(service.asked.length, 0);
  const { state, held_section } = await rig.view();
  assert.equal([state, held_section], ['paused (empty/short)', 2]);
  await rig.run(service, { how: 'resume' });
  assert.is((await rig.view()).state, 'complete');
});

test.run();
