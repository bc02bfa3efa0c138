// The whole way but for the command: loop, upload and client against a service on the loopback, by the name of each failure.

import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { uploadBook } from '../../../loops/distill/upload.ts';
import type { PauseReason } from '../../../policies/distill/pauses.ts';
import { createGeminiService } from '../../../wrappers/gemini-api/client.ts';
import { distillRig } from '../../rig/book-service.ts';
import { type DocumentApi, startDocumentApi } from '../../rig/document-api.ts';
import { sectionText } from '../../rig/model-api/documents/answers.ts';
import { FAULTS, type FaultName } from '../../rig/model-api/documents/faults.ts';

const BOOK = { endMarker: '<end_of_book>', modelVersion: 'gemini-2.5-pro', characters: 400 };

async function world(settings: Parameters<typeof startDocumentApi>[0], maxSilenceMs = 60_000) {
  const api = await startDocumentApi({ ...BOOK, looks: 0, ...settings });
  const rig = distillRig();
  const service = createGeminiService({ key: 'test-key', baseUrl: api.url, maxSilenceMs });
  const drive = (how: 'book' | 'resume' = 'book') =>
    rig.run(service, { how } as { how: 'book' }, (request) => {
      request.means.upload = uploadBook;
      // The clock of the service is the machine's.
      request.context.clock = () => new Date();
    });
  const close = async () => {
    await api.close();
    rmSync(rig.folder, { recursive: true });
  };
  return { api, rig, drive, close };
}

const pausedBy = (reasons: readonly FaultName[], reason: PauseReason) =>
  reasons.map((fault) => [fault, reason] as const);

/** What follows a failure of the second turn: null is tried again and continues. */
const FOLLOWS = Object.fromEntries([
  ...(
    ['429-retry-info', '429-retry-after', '500', '503', '502-html', 'reset', 'silence', 'cut', 'unfinished'] as const
  ).map((fault) => [fault, null] as const),
  ...(
    ['empty', 'html', 'file-400', 'file-403', 'file-404', 'end-in-the-middle', 'broken-after', 'open-after'] as const
  ).map((fault) => [fault, null] as const),
  ...pausedBy(['bad-key', 'no-model', 'too-long', 'redirect'], 'error'),
  ...pausedBy(['429-long'], 'reset'),
  ...pausedBy(['max-tokens', 'safety', 'recitation', 'blocked'], 'finish_reason'),
  ...pausedBy(['refusal'], 'refusal'),
  ...pausedBy(['short', 'no-text'], 'short'),
  ...pausedBy(['loop'], 'loop'),
  ...pausedBy(['control-tokens'], 'control_tokens'),
  ...pausedBy(['other-version'], 'model_changed'),
]) as Record<FaultName, PauseReason | null>;

test('every failure of the service continues, or pauses for its reason; resumed, the book is complete and no section paid twice', async () => {
  assert.equal(Object.keys(FOLLOWS).sort(), Object.keys(FAULTS).sort());
  for (const [fault, reason] of Object.entries(FOLLOWS) as [FaultName, PauseReason | null][]) {
    // On a slow machine the service may be silent for so long where nothing is wrong with it: more is asked then, and nothing lost.
    const isSilent = fault === 'silence' || fault === 'open-after';
    const { api, rig, drive, close } = await world({ sections: 3 }, isSilent ? 500 : undefined);
    api.script('ask', [null, fault]);
    await drive();
    const first = await rig.view();
    assert.equal(
      [first.state.split(' ')[0], first.reason],
      reason === null ? ['complete', null] : ['paused', reason],
      fault,
    );
    if (reason !== null) {
      assert.ok(first.evidence !== '', fault);
      assert.is(first.sections, 1, `${fault}: a failing turn changes nothing`);
      await drive('resume');
    }
    assert.equal([(await rig.view()).state, (await rig.view()).sections], ['complete', 3], fault);
    if (!isSilent) {
      assert.is(api.requests('start').length, fault.startsWith('file-') ? 2 : 1, fault);
      assertOnce(api, 3, fault);
    }
    await close();
  }
});

/** Of every section one good answer was given; one that is changed on its way and taken all the same is not counted among them. */
function assertOnce(api: DocumentApi, sections: number, fault?: FaultName): void {
  const good = api.paid().flatMap(({ whole, section }) => (whole ? section : []));
  const all = Array.from({ length: sections }, (_, i) => i + 1);
  const expected = fault === 'end-in-the-middle' ? all.filter((section) => section !== 2) : all;
  assert.equal(good, expected, fault);
}

test('a file that expires after days is uploaded anew, and every earlier part names the new one', async () => {
  const { api, rig, drive, close } = await world({ sections: 4 });
  api.script('ask', [null, null, 'bad-key']);
  await drive();
  api.files.expire();
  await drive('resume');
  assert.is((await rig.view()).state, 'complete');
  assert.is(api.requests('start').length, 2);
  const uris = api.requests('ask').map(({ turn }) => turn!.uri);
  assert.is(new Set(uris).size, 2);
  assert.is(uris.at(-1), [...api.files.stored.values()].at(-1)!.uri);
  assertOnce(api, 4);
  await close();
});

test('60 sections with 20 % injected failures of every kind end with all 60, in order, each paid once', async () => {
  const names = (Object.keys(FAULTS) as FaultName[]).filter(
    (name) => !['end-in-the-middle', 'silence', 'open-after'].includes(name),
  );
  let asked = 0;
  const { api, rig, drive, close } = await world({
    sections: 60,
    choose: ({ kind }) => {
      if (kind !== 'ask') return null;
      asked += 1;
      return asked % 5 === 0 ? names[(asked / 5) % names.length]! : null;
    },
  });
  await drive();
  for (let runs = 0; runs < 40 && (await rig.view()).state !== 'complete'; runs += 1) await drive('resume');
  const { state, sections } = await rig.view();
  assert.equal([state, sections], ['complete', 60]);
  const document = readFileSync(path.join(rig.folder, '.tmp/distill/republic/republic.md'), 'utf8');
  const texts = Array.from({ length: 60 }, (_, i) => sectionText({ ...BOOK, sections: 60 }, i + 1));
  assert.is(document, texts.map((text) => `${text.replace(BOOK.endMarker, '').trimEnd()}\n\n`).join(''));
  assertOnce(api, 60);
  assert.ok(asked >= 60 / 0.8 - 5, `${asked} turns`);
  await close();
});

test.run();
