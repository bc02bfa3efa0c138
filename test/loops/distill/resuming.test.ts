// A distillation that continues after it was left in the middle: what lies there, who has it, and what cannot be read.

import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changeAtRest } from '../../../loops/distill/drive.ts';
import { distilledBook } from '../../../loops/distill/export/write-export.ts';
import { openDistill } from '../../../loops/distill/open-run.ts';
import type { DistillRequest } from '../../../loops/distill/request.ts';
import { actionLine } from '../../../policies/facts/next-action.ts';
import { type DistillRig, distillRig, fakeService, sectionText, usualAnswer } from '../../rig/book-service.ts';

const test = suite('a distillation that continues');

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

test('an answer of another call than the open one is not taken for its', async () => {
  const rig = distillRig();
  await rig.run(fakeService({ sections: 2 }));
  killAtLastAnswer(rig);
  const file = path.join(folderOf(rig), 'turns/0002.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/("call_id": ")[^"]*/, '$1another'));
  const service = fakeService({ sections: 2 });
  await rig.run(service, { how: 'resume' });
  assert.equal([service.asked.length, (await rig.view()).state], [1, 'complete']);
});

const openedOf = async (rig: DistillRig) => {
  const found = await openDistill('republic', rig.folder, rig.environment, () => rig.now);
  if (found.how === 'invalid') throw new Error(found.message);
  return found.open;
};

test('two answers that cannot be read: a run refuses with both and the way out, at rest the others are there', async () => {
  const rig = distillRig();
  await rig.run(fakeService({ sections: 4 }));
  for (const turn of ['0002', '0003']) rmSync(path.join(folderOf(rig), `turns/${turn}.json`));
  const { sections, lost } = distilledBook(await openedOf(rig), false);
  assert.equal(
    sections.map(({ number, text }) => [number, text]),
    [1, 4].map((n) => [n, sectionText(n)]),
  );
  assert.match(String(lost), /0002\.json and .+0003\.json are gone or changed/);
  const refused = await rig.run(fakeService({ sections: 4 }), { how: 'resume' }).catch((error: Error) => error.message);
  assert.match(String(refused), /0002\.json and .*delete-section republic 2 --ask-again; .* republic 3 --ask-again/);
  const again = (section: number) => async () =>
    assert.is(await changeAtRest(await openedOf(rig), { wish: 'delete', section, again: true }, () => rig.now), 'done');
  await again(2)();
  await again(3)();
  const service = fakeService({ sections: 4 });
  await rig.run(service, { how: 'resume' });
  assert.is(service.asked.length, 2);
  assert.equal([(await rig.view()).state, (await rig.view()).sections], ['complete', 4]);
});

test('the answer of one turn in the place of another is none', async () => {
  const rig = distillRig();
  await rig.run(fakeService({ sections: 3 }));
  copyFileSync(path.join(folderOf(rig), 'turns/0001.json'), path.join(folderOf(rig), 'turns/0002.json'));
  const { sections, lost } = distilledBook(await openedOf(rig), false);
  assert.equal(
    sections.map(({ number }) => number),
    [1, 3],
  );
  assert.match(String(lost), /0002\.json is gone or changed/);
});

test('the live document goes back to an earlier place, where our own old one stands', async () => {
  const rig = distillRig();
  const place = path.join(rig.folder, 'out');
  const inPlace = (out: string | null) => (request: DistillRequest) => {
    request.said.out = out;
  };
  await rig.run(fakeService({ sections: 2 }), {}, inPlace(place));
  await changeAtRest(await openedOf(rig), { wish: 'delete', section: 1, again: true }, () => rig.now);
  await rig.run(fakeService({ sections: 2 }), { how: 'resume' }, inPlace(folderOf(rig)));
  assert.equal(await rig.run(fakeService({ sections: 2 }), { how: 'resume' }, inPlace(place)), {
    how: 'ended',
    name: 'republic',
  });
  writeFileSync(path.join(place, 'republic.md'), 'My own words.');
  await rig.run(fakeService({ sections: 2 }), { how: 'resume' }, inPlace(folderOf(rig)));
  const { how } = await rig.run(fakeService({ sections: 2 }), { how: 'resume' }, inPlace(place));
  assert.is(how, 'invalid');
});

test('requests that reached nobody are none of those that failed in a row', async () => {
  const rig = distillRig();
  const nobody = { message: 'fetch failed: connect ECONNREFUSED', offline: true };
  const misfortune = (n: number) => (n <= 12 ? nobody : n === 13 ? { message: 'busy', status: 503 } : null);
  await rig.run(fakeService({ sections: 1, misfortune }));
  assert.is((await rig.view()).state, 'complete');
});

test('a limit of dollars that an earlier version accepted for a CLI is ignored, and this is reported', async () => {
  const rig = distillRig();
  const over = (request: DistillRequest) => {
    request.said.via = 'codex';
  };
  await rig.run(fakeService({ sections: 3, misfortune: (n) => (n === 2 ? { text: 'Yes.' } : null) }), {}, over);
  const file = path.join(folderOf(rig), 'run.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), max_usd: 5 }));
  await rig.run(fakeService({ sections: 3 }), { how: 'resume' });
  assert.is((await rig.view()).state, 'complete');
  assert.ok(rig.events.some((one) => one.event === 'noted' && one.text.includes('the limit of $5 is ignored')));
});

const notes = (rig: DistillRig) => rig.events.flatMap((one) => (one.event === 'noted' ? [one.text] : []));

test('a resume that will meet the same hold again says so, and status names --accept only where it is taken', async () => {
  const rig = distillRig();
  const service = fakeService({
    sections: 2,
    misfortune: (n) => (n <= 2 ? { text: 'Yes.' } : n === 3 ? { text: '' } : null),
  });
  await rig.run(service);
  assert.equal(
    (await rig.view()).next_actions.map(({ command, changes }) => [command, changes]),
    [
      ['tollgate distill resume republic', null],
      ['tollgate distill resume republic --accept', 'gate'],
    ],
  );
  await rig.run(service, { how: 'resume' });
  assert.equal(notes(rig), []);
  await rig.run(service, { how: 'resume' });
  assert.match(notes(rig)[0]!, /section 1 was held 2 times for the same \(short\).*--no-check short/);
  const [next] = (await rig.view()).next_actions;
  assert.is(
    actionLine(next!),
    'ask for section 1 again; an empty answer is not kept: `tollgate distill resume republic`',
  );
  await rig.run(service, { how: 'resume' });
  assert.is((await rig.view()).state, 'complete');
});

test('another version is likely held again, and that is said the first time', async () => {
  const rig = distillRig();
  const service = fakeService({ sections: 2, modelVersion: (n) => (n === 1 ? 'gemini-2.5-pro' : 'gemini-3.8-flash') });
  await rig.run(service);
  await rig.run(service, { how: 'resume' });
  assert.match(notes(rig)[0]!, /--accept keeps it, or --no-check model-changed/);
});

test('driven on another host: that is said, and only --force takes it over', async () => {
  const rig = distillRig();
  await rig.run(fakeService({ sections: 2, misfortune: (n) => (n === 2 ? { text: 'Yes.' } : null) }));
  const journal = path.join(folderOf(rig), 'state/journal.jsonl');
  const lines = readFileSync(journal, 'utf8').trim().split('\n');
  const left = lines
    .slice(0, -1)
    .join('\n')
    .replace(/"host":"[^"]*"/g, '"host":"gone.example"');
  writeFileSync(journal, `${left}\n`);
  const { state, next_actions } = await rig.view();
  assert.is(state, 'driven elsewhere (gone.example)');
  assert.equal(next_actions.map(actionLine), [
    'if gone.example is gone, take it over: `tollgate distill resume republic --force`',
  ]);
  const service = fakeService({ sections: 2 });
  const refused = await rig.run(service, { how: 'resume' });
  assert.is(refused.how, 'taken');
  assert.match((refused as { message: string }).message, /gone\.example.*resume republic --force/);
  assert.is(service.asked.length, 0);
  await rig.run(service, { how: 'resume', force: true });
  assert.is((await rig.view()).state, 'complete');
});

test('a driver that lives here is not driven beside, nor waited for, by a --force either', async () => {
  const rig = distillRig();
  let second: unknown;
  const service = fakeService({
    sections: 2,
    misfortune: (n) =>
      n === 1
        ? async (turn) => {
            const other = fakeService({ sections: 2 });
            // Ends what would wait for us, who wait for it.
            const halt = AbortSignal.timeout(60_000);
            second = await rig.run(other, { how: 'resume', force: true }, (request) =>
              Object.assign(request, { halt }),
            );
            assert.is(other.asked.length, 0);
            return usualAnswer(turn, { sections: 2 });
          }
        : null,
  });
  await rig.run(service);
  assert.is((second as { how: string }).how, 'taken');
  assert.match((second as { message: string }).message, /drives the distillation republic now/);
  assert.is(service.asked.length, 2);
});

test.run();
