// An opened session file: no descriptor stays open, and nothing is read of a file that became another one.

import { readdirSync, readlinkSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CODEX_SESSIONS } from '../../../../wrappers/codex/sessions/store.ts';
import { COPILOT_SESSIONS } from '../../../../wrappers/copilot/sessions/store.ts';
import { CODEX_ID, COPILOT_ID, linesOf, SessionHome } from '../../../sessions/session-home.ts';

const test = suite<{ home: SessionHome }>('opened session files');
test.before.each((context) => {
  context.home = new SessionHome();
});
test.after.each(({ home }) => home.dispose());

const TOOLS = {
  codex: (home: SessionHome) => {
    const file = home.rollout(linesOf('codex/three-turns.jsonl'));
    return { file, find: () => CODEX_SESSIONS.find(CODEX_ID, home.lookup), store: CODEX_SESSIONS };
  },
  copilot: (home: SessionHome) => {
    const file = home.events(linesOf('copilot/three-turns.jsonl'));
    return { file, find: () => COPILOT_SESSIONS.find(COPILOT_ID, home.lookup), store: COPILOT_SESSIONS };
  },
};

for (const [tool, make] of Object.entries(TOOLS)) {
  if (process.platform === 'linux')
    test(`${tool}: no descriptor stays open`, async ({ home }) => {
      const { file, find, store } = make(home);
      const session = await find();
      const opened = Array.from({ length: 3 }, () => store.open(session!));
      assert.is(opened.flatMap((conversation) => conversation.read(1, 3)).length, 9);
      await aMoment();
      assert.equal(
        openFiles().filter((open) => open === file),
        [],
      );
    });

  test(`${tool}: of a file that became another one, what was opened is read on`, async ({ home }) => {
    const { file, find, store } = make(home);
    const session = await find();
    const conversation = store.open(session!);
    const before = store.open(session!).read(1, 3);
    await aMoment();
    writeFileSync(`${file}.new`, 'x'.repeat(session!.bytes));
    renameSync(`${file}.new`, file);
    assert.equal(conversation.read(1, 3), before);
  });

  test(`${tool}: of a file that became shorter, what was opened is read on`, async ({ home }) => {
    const { file, find, store } = make(home);
    const session = await find();
    const conversation = store.open(session!);
    const before = store.open(session!).read(1, 3);
    await aMoment();
    truncateSync(file, 100);
    assert.equal(conversation.read(1, 3), before);
  });
}

const aMoment = () => Promise.resolve();

const openFiles = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return [];
    }
  });

test.run();
