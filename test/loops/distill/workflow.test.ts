// The workflow of a distillation, sentence by sentence, driven against a service in this process.

import fs, {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askToEnd, changeAtRest } from '../../../loops/distill/drive.ts';
import { distilledBook } from '../../../loops/distill/export/write-export.ts';
import { openDistill } from '../../../loops/distill/open-run.ts';
import { FIRST_INSTRUCTION } from '../../../policies/distill/turn-contents.ts';
import { actionLine } from '../../../policies/facts/next-action.ts';
import { distillNames } from '../../../state/distill/run-folder.ts';
import { traceLines } from '../../../state/distill/turns.ts';
import { leaveWish } from '../../../state/distill/wishes.ts';
import { waitForChange } from '../../../state/wait-for-change.ts';
import { type DistillRig, distillRig, fakeService, sectionText, usualAnswer } from '../../rig/book-service.ts';
import { epubEntries, epubOf, zipOf } from '../../rig/books.ts';

const opened = async (rig: DistillRig) => {
  const found = await openDistill('republic', rig.folder, rig.environment, () => rig.now);
  if (found.how === 'invalid') throw new Error(found.message);
  return found.open;
};

const runFolder = ({ folder }: DistillRig) => path.join(folder, '.tmp/distill/republic');
const document = (rig: DistillRig) => readFileSync(path.join(runFolder(rig), 'republic.md'), 'utf8');
const book = (upTo: number) => Array.from({ length: upTo }, (_, i) => `${sectionText(i + 1)}\n\n`).join('');
const traced = async (rig: DistillRig) =>
  traceLines((await opened(rig)).folder).map((line) => JSON.parse(line) as Record<string, unknown>);

/** Waits for nothing: what the test does while the n-th request is in flight. */
const during = (n: number, does: () => void) => (request: number) =>
  request === n
    ? (turn: Parameters<typeof usualAnswer>[0]) => {
        does();
        return usualAnswer(turn, { sections: 3 }, request);
      }
    : null;

test('uploads a book, then iterates sections: a first turn with the file, then turns with only "Next"', async () => {
  const rig = distillRig();
  const service = fakeService({ sections: 3 });
  assert.equal(await rig.run(service), { how: 'ended', name: 'republic' });
  assert.is(service.uploads, 1);
  const [first, second, third] = service.asked;
  assert.equal(first, [
    {
      role: 'user',
      parts: [
        { fileData: { fileUri: 'https://service/v1beta/files/1', mimeType: 'text/plain' } },
        { text: FIRST_INSTRUCTION },
      ],
    },
  ]);
  assert.equal(second!.at(-1), { role: 'user', parts: [{ text: 'Next' }] });
  assert.is(third!.length, 5, 'each request includes the full prior history');
  assert.equal(third!.slice(0, 3), second);
  assert.equal(third![1]!.parts, [{ text: sectionText(1), thoughtSignature: 'signed-1' }]);
  assert.is((await rig.view()).state, 'complete');
  assert.is(document(rig), book(3));
});

test('The system prompt is sent as systemInstruction. Temperature is applied only when the toggle is on', async () => {
  const rig = distillRig();
  const service = fakeService({ sections: 1 });
  await rig.run(service);
  assert.is(service.turns[0]!.systemInstruction, 'Distil this book, section by section.\n');
  assert.is(service.turns[0]!.temperature, null);
  assert.is(service.turns[0]!.model, 'gemini-2.5-pro');
  const warm = distillRig();
  const other = fakeService({ sections: 1 });
  await warm.run(other, {}, (request) => {
    request.said.temperature = 0.7;
  });
  assert.is(other.turns[0]!.temperature, 0.7);
});

test('Transient errors: retried with backoff; attempt and countdown are shown', async () => {
  const rig = distillRig();
  const service = fakeService({
    sections: 2,
    misfortune: (n) => [null, { status: 503 }, { status: 429, retryAfterMs: 7000 }][n - 1] ?? null,
  });
  await rig.run(service);
  assert.equal(rig.waits, [1000, 7000]);
  const told = rig.events.flatMap((event) => (event.event === 'waiting' ? [[event.attempt, event.wait_ms]] : []));
  assert.equal(told, [
    [2, 1000],
    [3, 7000],
  ]);
  assert.equal(
    (await traced(rig)).map(({ kind }) => kind),
    ['upload', 'turn', 'error', 'error', 'turn'],
  );
  assert.is(document(rig), book(2));
});

test('Network offline: retried until somebody pauses or stops, and no call is spent on it', async () => {
  const rig = distillRig();
  const service = fakeService({
    sections: 2,
    misfortune: (n) => (n <= 50 ? { offline: true, message: 'connect ECONNREFUSED 127.0.0.1:9' } : null),
  });
  await rig.run(service);
  assert.is(rig.waits.length, 50);
  assert.is((await opened(rig)).ledger.used, 2);
});

test('a request that broke off may have been paid: the next one is another call in the books', async () => {
  const rig = distillRig();
  await rig.run(
    fakeService({ sections: 2, misfortune: (n) => (n === 1 ? { offline: true, message: 'read ECONNRESET' } : null) }),
  );
  assert.is((await opened(rig)).ledger.used, 3);
});

for (const message of ['the line to service broke (ECONNRESET)', 'nothing was heard of service for 280 s'])
  test(`a line that breaks at every request pauses after 8, each a call in the books: ${message}`, async () => {
    const rig = distillRig();
    const service = fakeService({ sections: 2, misfortune: () => ({ offline: true, message }) });
    await rig.run(service);
    assert.is((await rig.view()).state, 'paused (the service keeps failing)');
    assert.is(service.asked.length, 8);
    assert.is((await opened(rig)).ledger.used, 8);
  });

for (const [what, terms] of Object.entries({
  tokens: { maxTokens: 35 },
  dollars: { maxUsd: 0.00016 },
}))
  test(`a budget of ${what} is looked at before a request is tried anew that may have been paid`, async () => {
    const rig = distillRig();
    const usage = { input: 6, output: 4, thoughts: 0, cached: 0 };
    const service = fakeService({
      sections: 3,
      misfortune: (n) => (n === 1 ? { finishReason: 'STOP', usage } : { offline: true, message: 'read ECONNRESET' }),
    });
    await rig.run(service, {}, (request) => {
      request.terms.budgets = { ...request.terms.budgets, ...terms };
    });
    const view = await rig.view();
    assert.is(view.state, 'stopped');
    assert.match(view.evidence, /^(?:token|money) budget reached/);
    assert.is(service.asked.length, 4);
    assert.is((await opened(rig)).ledger.used, 4);
  });

test('Non-transient errors: paused (error), with the error and the failing request in the trace', async () => {
  const rig = distillRig();
  const service = fakeService({
    sections: 2,
    misfortune: (n) => (n === 2 ? { status: 400, message: 'API key not valid. Please pass a valid API key.' } : null),
  });
  await rig.run(service);
  const view = await rig.view();
  assert.is(view.state, 'paused (error)');
  assert.match(view.evidence, /^HTTP 400: API key not valid/);
  assert.equal(view.next_actions.map(actionLine), [
    'fix that, then continue where it stopped: `tollgate distill resume republic`',
  ]);
  assert.equal(((await traced(rig)).at(-1)!.error as { class: string }).class, 'auth');
  assert.is(document(rig), book(1));
  await rig.run(fakeService({ sections: 2 }), { how: 'resume' });
  assert.is(document(rig), book(2));
});

test('a failure that does not pass pauses after a bounded number of tries', async () => {
  const rig = distillRig();
  const service = fakeService({ sections: 2, misfortune: () => ({ status: 503 }) });
  await rig.run(service);
  assert.is((await rig.view()).reason, 'retries');
  assert.is(service.asked.length, 8);
});

test('If paused while waiting to retry, no history mutations are made for the failed turn', async () => {
  const rig = distillRig();
  const service = fakeService({ sections: 2, misfortune: (n) => (n === 2 ? { status: 503 } : null) });
  await rig.run(service, {}, (request) => {
    request.context.pause = async (ms, stop) => {
      rig.waits.push(ms);
      const { folder, ledger } = await opened(rig);
      leaveWish(folder, { wish: 'pause', run: ledger.run!.run_id }, rig.now);
      await new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve()));
    };
  });
  const view = await rig.view();
  assert.is(view.state, 'paused (as you asked)');
  assert.is(view.sections, 1);
  assert.is(service.asked.length, 2);
  const second = fakeService({ sections: 2 });
  await rig.run(second, { how: 'resume' });
  assert.equal(second.asked[0], service.asked[1], 'Resume continues immediately with "Next"');
});

test('Pause and Stop: an answer in flight is waited for, and kept', async () => {
  for (const wish of ['pause', 'stop'] as const) {
    const rig = distillRig();
    const service = fakeService({
      sections: 3,
      misfortune: (n) =>
        n === 2
          ? async (turn) => {
              const { folder, ledger } = await opened(rig);
              // The wish is heard before the answer is there.
              await heard(leaveWish(folder, { wish, run: ledger.run!.run_id }, rig.now));
              return usualAnswer(turn, { sections: 3 });
            }
          : null,
    });
    await rig.run(service);
    const view = await rig.view();
    assert.is(view.state, wish === 'pause' ? 'paused (as you asked)' : 'stopped');
    assert.is(view.sections, 2);
    assert.is(service.paid, 2);
  }
});

/** Until the driver has taken the wish away. */
async function heard(wish: string): Promise<void> {
  for (let looks = 0; looks < 100 && existsSync(wish); looks += 1)
    await waitForChange(wish, 200, new AbortController().signal);
  assert.not(existsSync(wish), 'nobody took the wish');
}

for (const [status, message] of [
  [400, 'FAILED_PRECONDITION: The File is gone'],
  [400, 'Unsupported file uri: files/1'],
] as const)
  test(`Invalid File Reference: re-upload once, rewrite, the same turn again: ${message}`, async () => {
    const rig = distillRig();
    const service = fakeService({ sections: 2, misfortune: (n) => (n === 2 ? { status, message } : null) });
    await rig.run(service);
    assert.is(service.uploads, 2);
    assert.is(document(rig), book(2));
    const [, failed, again] = service.asked;
    assert.match(JSON.stringify(failed), /files\/1"/);
    assert.not.match(JSON.stringify(again), /files\/1"/);
    assert.match(JSON.stringify(again![0]), /files\/2"/);
    assert.equal(again!.slice(1), failed!.slice(1), 'unchanged user content');
    assert.is((await opened(rig)).ledger.used, 2, 'a refused request is not paid');
  });

for (const [what, change, evidence] of [
  [
    'another',
    (file: string) => writeFileSync(file, 'Laws, by Plato.\n'),
    /republic\.txt is another book than the run was begun/,
  ],
  ['gone', (file: string) => rmSync(file), /republic\.txt is not there$/],
] as const)
  test(`a book that is ${what} by the time that its file is lost is not uploaded`, async () => {
    const rig = distillRig();
    const file = path.join(rig.folder, 'republic.txt');
    const service = fakeService({
      sections: 2,
      misfortune(n) {
        if (n !== 2) return null;
        change(file);
        return { status: 400, message: 'FAILED_PRECONDITION: The File is gone' };
      },
    });
    await rig.run(service);
    assert.is(service.uploads, 1);
    const { reason, evidence: said } = await rig.view();
    assert.is(reason, 'book');
    assert.match(said, evidence);
    writeFileSync(file, 'The Republic, by Plato.\n');
    await rig.run(fakeService({ sections: 2 }), { how: 'resume' });
    assert.is(document(rig), book(2));
  });

test('a second loss of the file pauses', async () => {
  const rig = distillRig();
  const service = fakeService({
    sections: 2,
    misfortune: (n) => (n > 1 ? { status: 404, message: 'File not found' } : null),
  });
  await rig.run(service);
  assert.is((await rig.view()).state, 'paused (file lost twice)');
  assert.is(service.uploads, 2);
});

test('Re-upload failure during invalid-URI handling: pause with error; history remains unchanged', async () => {
  const rig = distillRig();
  const service = fakeService({
    sections: 2,
    misfortune: (n) => (n === 2 ? { status: 400, message: 'FAILED_PRECONDITION' } : null),
    uploaded: (n) => (n === 2 ? { state: 'FAILED', error: 'it has no pages' } : {}),
  });
  await rig.run(service);
  const view = await rig.view();
  assert.is(view.reason, 'processing');
  assert.is(view.evidence, 'it has no pages');
  const again = fakeService({ sections: 2 });
  await rig.run(again, { how: 'resume' });
  assert.match(JSON.stringify(again.asked[0]), /files\/1"/);
});

test('a file is uploaded anew before it expires', async () => {
  const rig = distillRig();
  const service = fakeService({
    sections: 3,
    uploaded: (n) => ({ expiresAt: new Date(rig.now.getTime() + (n === 1 ? 3_600_000 : 172_800_000)).toISOString() }),
    misfortune: during(1, () => {
      rig.now = new Date(rig.now.getTime() + 3_000_000);
    }),
  });
  await rig.run(service);
  assert.is(service.uploads, 2);
  assert.match(JSON.stringify(service.asked[1]), /files\/2"/);
});

test('files that are short-lived by our clock are uploaded once for an answer, not without end', async () => {
  const rig = distillRig();
  const service = fakeService({
    sections: 3,
    uploaded: (n) => {
      assert.ok(n < 10, 'it uploads again and again');
      return { expiresAt: new Date(rig.now.getTime() + 600_000).toISOString() };
    },
  });
  await rig.run(service);
  assert.is(document(rig), book(3));
  assert.is(service.uploads, 4);
});

const ANOMALIES = {
  refusal: { text: `I'm sorry, but I cannot continue. ${'x'.repeat(300)}` },
  short: { text: 'Done.' },
  loop: { text: sectionText(1) },
  control_tokens: { text: `${sectionText(2)} <|im_end|>` },
  finish_reason: { finishReason: 'MAX_TOKENS' },
} as const;

for (const [name, bad] of Object.entries(ANOMALIES)) {
  const unfortunate = () => fakeService({ sections: 3, misfortune: (n) => (n === 2 ? bad : null) });
  test(`Anomaly Pauses: ${name} is held; --accept keeps the answer after all, and pays nothing`, async () => {
    const rig = distillRig();
    const service = unfortunate();
    await rig.run(service);
    assert.is((await rig.view()).reason, name);
    assert.is((await rig.view()).held_section, 2);
    assert.is(document(rig), book(1), 'it is not of the book');
    const second = fakeService({ sections: 3 });
    await rig.run(second, { how: 'resume', held: 'accept' });
    assert.is(second.paid, 1);
    assert.is(second.asked[0]!.length, 5, 'the accepted answer is of the history');
    assert.is((await rig.view()).state, 'complete');
  });
  test(`Anomaly Pauses: ${name}: a resume without --accept asks for that section again`, async () => {
    const rig = distillRig();
    await rig.run(unfortunate());
    const second = fakeService({ sections: 3 });
    await rig.run(second, { how: 'resume' });
    assert.is(second.paid, 2);
    assert.is(document(rig), book(3));
  });
  test(`Anomaly Pauses (configurable): ${name} can be switched off`, async () => {
    const rig = distillRig();
    const service = unfortunate();
    await rig.run(service, {}, (request) => {
      request.said.noCheck = [name as keyof typeof ANOMALIES];
    });
    assert.is((await rig.view()).state, 'complete');
    assert.is(service.paid, 3);
  });
}

test('resume --accept where nothing is held, or an empty answer is, is refused, and nothing is paid', async () => {
  const rig = distillRig();
  await rig.run(fakeService({ sections: 2, misfortune: (n) => (n === 2 ? { text: ' ' } : null) }), {}, (request) => {
    request.said.noCheck = ['short'];
  });
  assert.is((await rig.view()).held_section, 2, 'an empty answer is held, whatever is switched off');
  const service = fakeService({ sections: 2 });
  const empty = await rig.run(service, { how: 'resume', held: 'accept' });
  assert.match((empty as { message: string }).message, /held for section 2 of republic is empty/);
  assert.is((await rig.view()).held_section, 2);
  await rig.run(service, { how: 'resume' });
  const none = await rig.run(service, { how: 'resume', held: 'accept' });
  assert.match((none as { message: string }).message, /no answer of republic is held/);
  assert.is(service.asked.length, 1);
});

test('another model version in the middle of a run pauses it; --accept continues with it', async () => {
  const rig = distillRig();
  const version = (n: number) => (n === 1 ? 'gemini-2.5-pro' : 'gemini-3.8-flash');
  await rig.run(fakeService({ sections: 3, modelVersion: version }));
  const view = await rig.view();
  assert.is(view.reason, 'model_changed');
  assert.is(view.evidence, 'gemini-3.8-flash answered, and gemini-2.5-pro had answered until then');
  await rig.run(fakeService({ sections: 3, modelVersion: () => 'gemini-3.8-flash' }), {
    how: 'resume',
    held: 'accept',
  });
  assert.is((await rig.view()).state, 'complete');
});

test('Time, token and money budgets stop the loop', async () => {
  for (const [budgets, said] of [
    [{ maxSeconds: 0 }, /^time budget reached/],
    [{ maxTokens: 1500 }, /^token budget reached: 2220 of 1500/],
    [{ maxUsd: 0.003 }, /^money budget reached/],
  ] as const) {
    const rig = distillRig();
    await rig.run(fakeService({ sections: 9 }), {}, (request) => Object.assign(request.terms.budgets, budgets));
    const view = await rig.view();
    assert.is(view.state, 'stopped');
    assert.match(view.evidence, said);
  }
});

test('Token budget: rough length/4 estimate where the service counts none, and said so', async () => {
  const rig = distillRig();
  const service = fakeService({ sections: 9, misfortune: () => ({ text: 'A cave. '.repeat(100), usage: null }) });
  await rig.run(service, {}, (request) => {
    request.terms.budgets.maxTokens = 100;
  });
  assert.match((await rig.view()).evidence, /^token budget reached \(est\): 210 of 100/);
});

test('a limit of money that no price can hold is refused, and stops after an answer that has none', async () => {
  const rig = distillRig();
  const service = fakeService({
    sections: 3,
    misfortune: (n) => (n === 1 ? { finishReason: 'STOP', usage: null } : null),
  });
  const limited = (model: string | null) => (request: Parameters<Parameters<typeof rig.run>[2] & {}>[0]) => {
    request.said.model = model;
    request.terms.budgets.maxUsd = 5;
  };
  const refused = await rig.run(service, {}, limited('gemini-3.8-flash'));
  assert.match(
    (refused as { message: string }).message,
    /no price of gemini-3\.8-flash is known; name it under prices:/,
  );
  const over = await rig.run(service, {}, (request) => {
    limited(null)(request);
    request.said.via = 'claude';
  });
  assert.match((over as { message: string }).message, /--max-usd cannot hold over claude/);
  assert.not(existsSync(runFolder(rig)));
  await rig.run(service, {}, limited('gemini-2.5-pro'));
  assert.match((await rig.view()).evidence, /^money budget of \$5 cannot be kept/);
  assert.is(service.asked.length, 1);
  const other = await rig.run(service, { how: 'resume' }, (request) => {
    request.said.model = 'gemini-3.8-flash';
  });
  assert.is(other.how, 'invalid', 'the limit of the run before holds for another model, too');
  writeFileSync(path.join(rig.folder, 'tollgate.yaml'), 'prices:\n  gemini-3.8-flash: { input: 1, output: 2 }\n');
  await rig.run(service, { how: 'resume' }, (request) => {
    request.said.model = 'gemini-3.8-flash';
  });
  assert.is((await rig.view()).state, 'complete');
});

test('a budget of tokens or money holds for the runs after it, until one says another', async () => {
  const rig = distillRig();
  await rig.run(fakeService({ sections: 9 }), {}, (request) => {
    request.terms.budgets.maxTokens = 1500;
  });
  assert.match(
    (await rig.view()).next_actions.map(actionLine).join('\n'),
    /^ask the user .*\nonly if the user allows more paid calls: .*: `tollgate distill resume republic --max-tokens \d+`$/,
  );
  const second = fakeService({ sections: 9 });
  await rig.run(second, { how: 'resume' });
  assert.is(second.asked.length, 0);
  await rig.run(second, { how: 'resume' }, (request) => {
    request.terms.budgets.maxTokens = 3000;
  });
  assert.is(second.asked.length, 1);
});

test('a wish that is left right before an answer comes is obeyed before the next one is paid for', async () => {
  const rig = distillRig();
  const service = fakeService({
    sections: 3,
    misfortune: (n) =>
      n === 1
        ? async (turn) => {
            const { folder, ledger } = await opened(rig);
            leaveWish(folder, { wish: 'pause', run: ledger.run!.run_id }, rig.now);
            return usualAnswer(turn, { sections: 3 });
          }
        : null,
  });
  await rig.run(service);
  assert.is(service.asked.length, 1);
});

test('a wish that was left for a run that has ended is nothing to the next', async () => {
  const rig = distillRig();
  await rig.run(fakeService({ sections: 2, misfortune: during(1, () => rig.stop.abort('SIGINT')) }));
  rig.stop = new AbortController();
  leaveWish((await opened(rig)).folder, { wish: 'stop', run: 'one that was killed' }, rig.now);
  await rig.run(fakeService({ sections: 2 }));
  assert.is((await rig.view()).state, 'complete');
});

test('model setting persists; another in the middle is refused, unless a resume names it', async () => {
  const rig = distillRig();
  await rig.run(fakeService({ sections: 2, misfortune: during(1, () => rig.stop.abort('SIGINT')) }));
  rig.stop = new AbortController();
  const another = { sections: 2, modelVersion: () => 'gemini-3.8-flash' };
  const refused = await rig.run(fakeService(another), {}, (request) => {
    request.said.model = 'gemini-3.8-flash';
  });
  assert.match((refused as { message: string }).message, /republic was begun with gemini-2\.5-pro/);
  const service = fakeService(another);
  await rig.run(service, { how: 'resume' }, (request) => {
    request.said.model = 'gemini-3.8-flash';
  });
  assert.is(service.turns[0]!.model, 'gemini-3.8-flash');
  assert.is((await rig.view()).state, 'complete', 'its version is no surprise');
});

test('the budget of paid calls is the journal’s own', async () => {
  const rig = distillRig();
  const service = fakeService({ sections: 9 });
  await rig.run(service, {}, (request) => {
    request.said.maxCalls = 2;
  });
  assert.is((await rig.view()).reason, 'calls');
  assert.is(service.asked.length, 2);
  await rig.run(service, { how: 'resume' }, (request) => {
    request.said.maxCalls = 3;
  });
  assert.is(service.asked.length, 3);
});

test('a refused request uses up no paid call, and none is reserved before a wait that is broken off', async () => {
  const rig = distillRig();
  const once = (request: { said: { maxCalls: number | null } }) => {
    request.said.maxCalls = 1;
  };
  const refusing = fakeService({ sections: 1, misfortune: () => ({ status: 403, message: 'Permission denied' }) });
  for (let i = 0; i < 3; i += 1) await rig.run(refusing, {}, once);
  assert.is(refusing.asked.length, 3);
  assert.is((await opened(rig)).ledger.used, 0);
  const broken = fakeService({ sections: 1, misfortune: () => ({ offline: true, message: 'read ECONNRESET' }) });
  await rig.run(broken, { how: 'resume' }, (request) => {
    request.said.maxCalls = 9;
    request.context.pause = async () => rig.stop.abort('SIGINT');
  });
  assert.is((await opened(rig)).ledger.used, 1, 'the one that broke off');
  rig.stop = new AbortController();
  await rig.run(fakeService({ sections: 1 }));
  assert.equal([(await rig.view()).state, (await opened(rig)).ledger.used], ['complete', 2]);
});

test('First turn failure: no history yet; fix conditions and resume to retry', async () => {
  const rig = distillRig();
  await rig.run(fakeService({ sections: 1, misfortune: () => ({ status: 403, message: 'Permission denied' }) }));
  assert.is((await rig.view()).sections, 0);
  const second = fakeService({ sections: 1 });
  await rig.run(second, { how: 'resume' });
  assert.is(second.asked[0]!.length, 1);
  assert.is(second.uploads, 0, 'the file is there already');
  assert.is((await rig.view()).state, 'complete');
});

test('history, sections and the live document reset only on a new start(): a second run continues', async () => {
  const rig = distillRig();
  await rig.run(fakeService({ sections: 3, misfortune: during(2, () => rig.stop.abort('SIGINT')) }));
  assert.is((await rig.view()).state, 'interrupted');
  assert.is((await rig.view()).sections, 2, 'the answer in flight was waited for');
  rig.stop = new AbortController();
  const second = fakeService({ sections: 3 });
  await rig.run(second);
  assert.is(second.paid, 1);
  assert.is(document(rig), book(3));
  const third = fakeService({ sections: 3 });
  await rig.run(third);
  assert.is(third.asked.length, 0, 'what is complete is not paid again');
  assert.equal(distillNames(rig.folder, rig.environment), ['republic']);
});

test('told firmly, it waits for nothing: the turn is recorded as lost, and asked for once more', async () => {
  const rig = distillRig();
  const service = fakeService({
    sections: 2,
    misfortune: (n) =>
      n === 2
        ? ({ signal }) =>
            new Promise((_, reject) => {
              signal.addEventListener('abort', () => reject(signal.reason));
              rig.halt.abort('SIGTERM');
            })
        : null,
  });
  await rig.run(service);
  const { ledger, standing } = await opened(rig);
  assert.is(standing.sections.length, 1);
  assert.equal(
    [...ledger.calls.values()].map(({ verdict }) => verdict?.reason),
    [undefined, 'interrupted'],
  );
  rig.halt = new AbortController();
  await rig.run(fakeService({ sections: 2 }));
  assert.is(document(rig), book(2));
});

test('killed after an answer lay on disk: it is taken in, and not paid again', async () => {
  const rig = distillRig();
  const service = fakeService({ sections: 2 });
  await rig.run(service);
  // As a kill right behind the answer's file leaves it: the fact is missing.
  const journal = path.join(runFolder(rig), 'state/journal.jsonl');
  const lines = readFileSync(journal, 'utf8').trim().split('\n');
  const last = lines.findLastIndex((line) => line.includes('"answered"'));
  writeFileSync(journal, `${lines.slice(0, last).join('\n')}\n`);
  writeFileSync(journal, readFileSync(journal, 'utf8').replace(/("start_time":")[^"]*/g, '$1gone'));
  const second = fakeService({ sections: 2 });
  await rig.run(second);
  assert.is(second.asked.length, 0);
  assert.is(document(rig), book(2));
  assert.is((await rig.view()).state, 'complete');
});

test('an answer that lay on disk is priced as the model that was asked, and its version is no measure for another', async () => {
  const rig = distillRig();
  await rig.run(fakeService({ sections: 9, misfortune: during(2, () => rig.stop.abort('SIGINT')) }));
  rig.stop = new AbortController();
  const { usd } = await rig.view();
  const journal = path.join(runFolder(rig), 'state/journal.jsonl');
  const lines = readFileSync(journal, 'utf8').trim().split('\n');
  const last = lines.findLastIndex((line) => line.includes('"answered"'));
  writeFileSync(journal, `${lines.slice(0, last).join('\n')}\n`.replace(/("start_time":")[^"]*/g, '$1gone'));
  const service = fakeService({ sections: 3, modelVersion: () => 'gemini-3.8-flash' });
  await rig.run(service, { how: 'resume' }, (request) => {
    request.said.model = 'gemini-3.8-flash';
  });
  const view = await rig.view();
  assert.equal([view.state, view.usd, view.unpriced_answers], ['complete', usd, 1]);
});

test('killed while a turn was in flight: recorded as lost, asked once more', async () => {
  const rig = distillRig();
  await rig.run(fakeService({ sections: 2 }));
  const journal = path.join(runFolder(rig), 'state/journal.jsonl');
  const lines = readFileSync(journal, 'utf8').trim().split('\n');
  const last = lines.findLastIndex((line) => line.includes('"answered"'));
  writeFileSync(
    journal,
    `${lines
      .slice(0, last)
      .join('\n')
      .replace(/("start_time":")[^"]*/g, '$1gone')}\n`,
  );
  rmSync(path.join(runFolder(rig), 'turns/0002.json'));
  const second = fakeService({ sections: 2 });
  await rig.run(second);
  assert.is(second.asked.length, 1);
  assert.is((await opened(rig)).ledger.used, 3);
  assert.ok((await traced(rig)).some(({ kind, section }) => kind === 'lost' && section === 2));
  assert.is(document(rig), book(2));
});

test('a book whose run.json is gone is not continued with the sections of another', async () => {
  const rig = distillRig();
  await rig.run(fakeService({ sections: 2 }));
  rmSync(path.join(runFolder(rig), 'run.json'));
  writeFileSync(path.join(rig.folder, 'laws.txt'), 'Laws, by Plato.\n');
  const second = fakeService({ sections: 3 });
  const ended = await rig.run(second, { how: 'book', book: 'laws.txt', name: 'republic' });
  assert.is(ended.how, 'invalid');
  assert.match(
    ended.how === 'invalid' ? ended.message : '',
    /are of another book \(by the SHA-256 in its journal\); begin this one under another --name$/,
  );
  assert.is(second.uploads, 0);
  assert.not(existsSync(path.join(runFolder(rig), 'run.json')));
  assert.is((await rig.run(fakeService({ sections: 2 }))).how, 'ended', 'the book that it was begun with');
});

test('what another process began between our look and our claim is not written over', async () => {
  const rig = distillRig();
  const second = fakeService({ sections: 2 });
  const ended = await rig.run(second, {}, (request) => {
    request.said.temperature = 1;
    request.means.service = async () => {
      await rig.run(fakeService({ sections: 2 }));
      return second;
    };
  });
  assert.match(
    ended.how === 'invalid' ? ended.message : '',
    /another process changed .*run\.json meanwhile; say it again/,
  );
  assert.is((await opened(rig)).checkpoint.temperature, null);
  assert.is((await opened(rig)).ledger.run, null, 'it is nobody’s');
  assert.is(second.uploads, 0);
});

test('two processes never drive one run', async () => {
  const rig = distillRig();
  let second: unknown;
  const service = fakeService({
    sections: 2,
    misfortune: (n) =>
      n === 1
        ? async (turn) => {
            second = await rig.run(fakeService({ sections: 2 }));
            return usualAnswer(turn, { sections: 2 });
          }
        : null,
  });
  await rig.run(service);
  assert.is((second as { how: string }).how, 'taken');
  assert.match((second as { message: string }).message, /drives the distillation republic now/);
  assert.is(document(rig), book(2));
});

test('a driver that begins while somebody stops what was at rest is told', async () => {
  const rig = distillRig();
  await rig.run(fakeService({ sections: 3, misfortune: during(1, () => rig.stop.abort('SIGINT')) }));
  rig.stop = new AbortController();
  const atRest = await opened(rig);
  let asked: string | null = null;
  const service = fakeService({
    sections: 3,
    misfortune: () => async (turn) => {
      asked ??= await askToEnd(atRest, 'stop', () => rig.now);
      return usualAnswer(turn, { sections: 3 });
    },
  });
  await rig.run(service);
  assert.is(asked, 'notified');
  const { state, sections } = await rig.view();
  assert.equal([state, sections], ['stopped', 2]);
});

test('a folder of wishes that cannot be had ends the run, and lets go of it', async () => {
  const rig = distillRig();
  mkdirSync(runFolder(rig), { recursive: true });
  writeFileSync(path.join(runFolder(rig), 'wishes'), 'no folder');
  await rig.run(fakeService({ sections: 2 })).then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, /wishes is a regular file, and no folder/),
  );
  rmSync(path.join(runFolder(rig), 'wishes'));
  assert.equal(await rig.run(fakeService({ sections: 2 })), { how: 'ended', name: 'republic' });
  assert.is(document(rig), book(2));
});

for (const [what, change, said] of [
  ['prompt file', ['prompt.md', 'Another prompt.'], /prompt\.md is not the prompt that republic was started with/],
  ['book', ['republic.txt', 'Another book.'], /is another book than republic was begun with/],
] as const)
  test(`a ${what} that changed between two runs is refused, and nothing is lost`, async () => {
    const rig = distillRig();
    await rig.run(fakeService({ sections: 3, misfortune: during(1, () => rig.stop.abort('SIGINT')) }));
    rig.stop = new AbortController();
    writeFileSync(path.join(rig.folder, change[0]), change[1]);
    const service = fakeService({ sections: 3 });
    const refused = await rig.run(service);
    assert.is(refused.how, 'invalid');
    assert.match((refused as { message: string }).message, said);
    assert.is(service.asked.length, 0);
    assert.is(document(rig), book(1));
  });

test('a run whose model has ended continues with it, and says who may answer in its place', async () => {
  const rig = distillRig();
  await rig.run(fakeService({ sections: 3, misfortune: during(1, () => rig.stop.abort('SIGINT')) }));
  rig.stop = new AbortController();
  const notes = () => rig.events.flatMap((event) => (event.event === 'noted' ? [event.text] : []));
  assert.equal(notes(), []);
  rig.now = new Date('2026-12-01T00:00:00Z');
  await rig.run(fakeService({ sections: 3 }), { how: 'resume' });
  assert.is(document(rig), book(3));
  assert.match(notes().join(), /gemini-2\.5-pro ended on 2026-12-01: gemini-3\.8-flash may answer in its place/);
});

test('a section is deleted while it runs, from document and history, and asked for again in its place', async () => {
  const rig = distillRig();
  const service = fakeService({
    sections: 3,
    misfortune: (n) =>
      n === 2
        ? async (turn) => {
            leaveWish((await opened(rig)).folder, { wish: 'delete', section: 1, again: true }, rig.now);
            return usualAnswer(turn, { sections: 3 });
          }
        : null,
  });
  await rig.run(service);
  assert.is(service.paid, 4);
  assert.is(service.asked[2]!.length, 1, 'section 1 again, with the file and nothing before it');
  assert.is(document(rig), book(3));
});

test('60 sections with 20 % injected failures of every kind end with all 60, in order, each paid once', async () => {
  const rig = distillRig();
  const kinds = [
    { status: 503 },
    { status: 429, retryAfterMs: 3000 },
    { status: 500, message: 'Internal error' },
    { offline: true, message: 'getaddrinfo ENOTFOUND service' },
    { status: 400, message: 'FAILED_PRECONDITION: the file is gone' },
    { status: 404, message: 'File files/1 not found' },
    { status: 502, body: '<html>Bad gateway</html>' },
    { status: 503, body: '{"error":{"details":[{"retryDelay":"2s"}]}}' },
  ];
  const service = fakeService({
    sections: 60,
    misfortune: (n) => (n % 5 === 2 ? kinds[Math.floor(n / 5) % kinds.length]! : null),
  });
  await rig.run(service);
  assert.is((await rig.view()).state, 'complete');
  assert.is(document(rig), book(60));
  assert.is(service.paid, 60);
  assert.is(service.asked.length, 75);
  assert.is((await opened(rig)).ledger.used, 60);
  assert.is(readdirSync(path.join(runFolder(rig), 'turns')).length, 60);
  assert.ok(existsSync(path.join(runFolder(rig), 'run.json')));
});

test('an answer that cannot be written is held and written once there is room: nothing is lost', async () => {
  const rig = distillRig();
  const turns = path.join(runFolder(rig), 'turns');
  const facts: number[] = [];
  const service = fakeService({
    sections: 3,
    misfortune: during(2, () => {
      renameSync(turns, `${turns}.away`);
      writeFileSync(turns, 'no folder');
    }),
  });
  await rig.run(service, {}, (request) => {
    request.context.pause = async (ms) => {
      rig.waits.push(ms);
      facts.push((await opened(rig)).ledger.distilled.filter(({ fact }) => fact === 'answered').length);
      if (rig.waits.length < 3) return;
      rmSync(turns);
      renameSync(`${turns}.away`, turns);
    };
  });
  assert.equal(facts, [1, 1, 1], 'an answer is on disk before its fact');
  assert.is(service.paid, 3);
  assert.is(document(rig), book(3));
  assert.match(JSON.stringify(rig.events), /an answer that is paid for cannot be written/);
});

test('a disk with less than 4 MiB pauses before anything is paid, and the run continues once there is room', async () => {
  const rig = distillRig();
  const free = (bytes: number) => {
    fs.statfsSync = ((...asked: Parameters<typeof statfsSync>) => ({
      ...statfsSync(...asked),
      bavail: bytes,
      bsize: 1,
    })) as typeof statfsSync;
    syncBuiltinESMExports();
  };
  const { statfsSync } = fs;
  try {
    const service = fakeService({ sections: 3, misfortune: during(1, () => free(4 * 1024 * 1024 - 1)) });
    await rig.run(service);
    const { state, reason } = await rig.view();
    assert.equal([service.paid, reason, (await opened(rig)).ledger.used], [1, 'disk', 1], state);
    free(4 * 1024 * 1024);
    await rig.run(service, { how: 'resume' });
    assert.equal([service.paid, (await rig.view()).state], [3, 'complete']);
  } finally {
    fs.statfsSync = statfsSync;
    syncBuiltinESMExports();
  }
});

test('a trace that cannot be written is told once, and costs no answer', async () => {
  const rig = distillRig();
  mkdirSync(path.join(runFolder(rig), 'trace.jsonl'), { recursive: true });
  const service = fakeService({ sections: 3 });
  await rig.run(service);
  assert.is((await rig.view()).state, 'complete');
  assert.is(service.paid, 3);
  assert.equal(rig.waits, []);
  const notes = rig.events.flatMap((event) => (event.event === 'noted' ? [event.text] : []));
  assert.equal(notes, [
    `the trace cannot be written (${runFolder(rig)}/trace.jsonl is a folder, and no regular file), and this run continues without it`,
  ]);
});

test('a document that cannot be written at first is written later, and its answer is one fact', async () => {
  const rig = distillRig();
  const service = fakeService({
    sections: 3,
    misfortune: during(2, () => {
      rmSync(path.join(runFolder(rig), 'republic.md'));
      mkdirSync(path.join(runFolder(rig), 'republic.md'));
    }),
  });
  await rig.run(service);
  assert.is(rig.waits.length, 1);
  const { ledger } = await opened(rig);
  assert.equal(
    ledger.distilled.flatMap((line) => (line.fact === 'answered' ? [line.turn] : [])),
    [1, 2, 3],
  );
  assert.is(document(rig), book(3));
});

test('a secret that a model repeats is not in the trace', async () => {
  const rig = distillRig();
  rig.environment.GEMINI_API_KEY = 'AIzaSyNotARealKeyButLongEnough0123456789';
  const text = `${sectionText(1)} ${rig.environment.GEMINI_API_KEY}`;
  await rig.run(fakeService({ sections: 2, misfortune: (n) => (n === 1 ? { text } : null) }));
  assert.not.match(JSON.stringify(await traced(rig)), /NotARealKey/);
  assert.match(JSON.stringify(await traced(rig)), /REDACTED/);
});

test('trace records every turn or error with request, response and retries, redacted', async () => {
  const rig = distillRig();
  rig.environment.GEMINI_API_KEY = 'AIzaSyNotARealKeyButLongEnough0123456789';
  const service = fakeService({
    sections: 2,
    misfortune: (n) => (n === 1 ? { status: 503, message: `busy for ${rig.environment.GEMINI_API_KEY}` } : null),
  });
  await rig.run(service);
  const [, error, turn] = await traced(rig);
  assert.is(error!.kind, 'error');
  assert.equal((error!.request as { history: number }).history, 0);
  assert.is(turn!.retries, 1);
  assert.is((turn!.response as { finishReason: string }).finishReason, 'STOP');
  for (const file of readdirSync(runFolder(rig), { recursive: true, withFileTypes: true }))
    if (file.isFile())
      assert.not.match(readFileSync(path.join(file.parentPath, file.name), 'utf8'), /NotARealKey/, file.name);
  assert.not.match(JSON.stringify(rig.events), /NotARealKey/);
});

test('an EPUB that is another by the time its text is written down is a pause, and the run continues once it is back', async () => {
  const rig = distillRig();
  const file = path.join(rig.folder, 'republic.epub');
  const chapters = { '1.xhtml': '<p>One.</p>', '2.xhtml': '<p>Two.</p>' };
  writeFileSync(file, epubOf(chapters));
  const broken = zipOf(epubEntries(chapters), { 'OEBPS/text/2.xhtml': 33 * 1024 * 1024 });
  const service = fakeService({ sections: 1 });
  const ended = await rig.run(service, { how: 'book', book: file, name: 'republic' }, (request) => {
    request.means.service = async () => {
      writeFileSync(file, broken);
      return service;
    };
  });
  assert.equal([ended.how, service.uploads], ['ended', 0]);
  assert.match((await rig.view()).state, 'paused');
  assert.equal(existsSync(path.join(runFolder(rig), 'book.txt')), false);
  writeFileSync(file, epubOf(chapters));
  await rig.run(service, { how: 'resume' });
  assert.is((await rig.view()).state, 'complete');
});

test('the live document has no code that a terminal obeys, and an export numbers its sections as all commands do', async () => {
  const rig = distillRig();
  const service = fakeService({
    sections: 3,
    misfortune: (n) => (n === 2 ? { text: `${sectionText(2)}\u001b[2J\u001b]0;x\u0007` } : null),
  });
  await rig.run(service);
  assert.is(document(rig), book(3));
  await changeAtRest(await opened(rig), { wish: 'delete', section: 1, again: false }, () => rig.now);
  const { sections } = distilledBook(await opened(rig), false);
  assert.equal(
    sections.map(({ number, text }) => [number, text.slice(0, 12)]),
    [
      [2, '## Section 2'],
      [3, '## Section 3'],
    ],
  );
});

for (const part of [
  'distill-sessions',
  'distill-sessions/republic',
  'distill-sessions/republic/book',
  'distill/republic/exports',
])
  test(`a link out of the project in the place of ${part} is refused`, async () => {
    const rig = distillRig();
    const place = path.join(rig.folder, '.tmp', part);
    mkdirSync(path.dirname(place), { recursive: true });
    symlinkSync(tmpdir(), place);
    const service = fakeService({ sections: 1 });
    const ended = await rig.run(service);
    assert.match(ended.how === 'invalid' ? ended.message : '', `${part} is a symbolic link that leads out of`);
    assert.is(service.uploads, 0);
  });

test.run();
