// Lists the readers of files that others may have written, with their paths; readers-child.ts opens them on strange things.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { copyRedacted } from '../../loops/attempt/redacted-copy.ts';
import { savedMarker } from '../../loops/attempt/restored-draft.ts';
import { countLines, readNamed } from '../../loops/batch/named-call.ts';
import { savedReport } from '../../loops/batch/report.ts';
import { readVersion } from '../../loops/batch/wait-outcome.ts';
import { openOutputLog } from '../../loops/gate/acceptance.ts';
import { readAnswer } from '../../loops/gate/gate.ts';
import { keepJournal } from '../../loops/guard/kept-journal.ts';
import { redactorOf } from '../../loops/redactor.ts';
import { readFailure } from '../../loops/report/task-row.ts';
import { failedSession } from '../../loops/session/locate.ts';
import { recordIn } from '../../loops/stage/guardian.ts';
import { excerpt } from '../../loops/task/failure.ts';
import { gateRecordOf } from '../../loops/task/gate-actions.ts';
import { lastEvent } from '../../loops/task/last-event.ts';
import { readText } from '../../loops/task/read-text.ts';
import { startOf } from '../../loops/tree/read-changes.ts';
import { readWithin } from '../../loops/tree/read-within-folder.ts';
import { commitOf } from '../../loops/tree/repository.ts';
import { loadSnapshot } from '../../loops/tree/snapshot.ts';
import { NO_PROJECT_FILE } from '../../policies/manifest/project-file.ts';
import { appendToLog } from '../../state/api-errors/append.ts';
import { readLog } from '../../state/api-errors/read.ts';
import { syncFolder } from '../../state/append-line.ts';
import { readJson, writeJson } from '../../state/atomic-file.ts';
import { readEntries, registerFolder } from '../../state/calls/call-register.ts';
import { recallVersion } from '../../state/cli-versions.ts';
import { endsWithinLine } from '../../state/compare-and-swap-file.ts';
import { readCorpus } from '../../state/corpus.ts';
import { openJournal } from '../../state/journal/journal.ts';
import { adoptEdits } from '../../state/journal/stats.ts';
import { readCapturedFiles } from '../../state/labelled-line.ts';
import { readManifest } from '../../state/project/manifest.ts';
import { readProject } from '../../state/project/project.ts';
import { standingTickets, type Ticket } from '../../state/queue/ticket-file.ts';
import { openQueue } from '../../state/queue/tickets.ts';
import { editsLedger, planEdit, readEdits } from '../../state/sessions/edits-ledger.ts';
import { readSessions } from '../../state/sessions/sessions-file.ts';
import { locateTask } from '../../state/task-folder.ts';
import { findRecord } from '../../state/usage.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { versionOfPackage } from '../../wrappers/cli-version.ts';
import { overlay } from '../../wrappers/codex/overlay.ts';
import { readBeginning } from '../../wrappers/gemini/sessions/lookup.ts';
import { GEMINI_SESSIONS } from '../../wrappers/gemini/sessions/store.ts';
import { readSettings } from '../../wrappers/gemini/settings.ts';
import { read } from '../../wrappers/reading.ts';
import { openLines } from '../../wrappers/sessions/line-table.ts';
import { firstRecords } from '../../wrappers/sessions/store-folder.ts';

export interface Reader {
  name: string;
  /** The path of the strange thing, below the world's root; its parent folder is created. */
  place: string;
  read(root: string): unknown;
}

const now = () => new Date();
const TASK = '.tmp/task/fix';
const task = (root: string) => {
  const located = locateTask(path.join(root, TASK, '/'), root, { HOME: root });
  if (located.how === 'invalid') throw new Error(located.message);
  return located.folder;
};
const CALL = '20260101000000-0123abcd';
const call = { reserved: { call_id: CALL, stage: 's', tool: 'codex' } } as never;
const REDACTOR = redactorOf({}, []);
const EDIT = { n: 1 } as never;
const ticket: Ticket = {
  id: 'x',
  mode: 'write',
  owner: { pid: 2, start_time: '1', host: 'h', boot_id: 'b', pid_ns: 'n' },
  task_id: 't',
  stage: 's',
  until: '2026-01-01T00:00:00Z',
};
const surroundings = (root: string) => ({ environment: { HOME: root }, home: root, cwd: root });
const request = (root: string) =>
  ({ environment: { HOME: root }, innerRetries: 'cut', cwd: root, model: null, maxTurns: null }) as never;
const beside = (root: string, name: string) => {
  writeFileSync(path.join(root, name), '');
  return path.join(root, name);
};
const at = (place: string, name: string, look: (file: string, root: string) => unknown): Reader => ({
  name,
  place,
  read: (root) => look(path.join(root, place), root),
});

export const READERS: readonly Reader[] = [
  at(`${TASK}/state/journal.jsonl`, 'the journal', (_, root) => openJournal(path.join(root, TASK), now).read().torn),
  at(`${TASK}/state/journal.jsonl`, 'a line for the journal', (_, root) =>
    openJournal(path.join(root, TASK), now).append({ fact: 'reset', used: 0, at_offset: 0 } as never),
  ),
  at(`${TASK}/state/journal.jsonl`, 'the kept journal', (file) => keepJournal({ file } as never).length),
  at(`${TASK}/state/stats.json`, 'the view of the money', (_, root) =>
    adoptEdits(openJournal(path.join(root, TASK), now), now),
  ),
  at(`${TASK}/state/stats.json`, 'a JSON file that is only looked at', (file) => readJson(file, now, 'in_place')),
  at(`${TASK}/state/stats.json`, 'a JSON file that is written', (file) => writeJson(file, {})),
  at(`${TASK}/state/stats.json`, 'a view that is written', (file) => writeJson(file, {}, 'renamed')),
  at(`${TASK}/state/last_failure.json`, 'the last failure', (_, root) => readFailure(task(root))),
  at(`${TASK}/manifest.yaml`, 'the manifest', (file) => readManifest(file, NO_PROJECT_FILE, 'untrusted')),
  at(`${TASK}/outputs/s.gate.json`, "a gate's record", (_, root) => gateRecordOf(task(root), 's', CALL)),
  at(`${TASK}/outputs/s.codex.call.json`, "a call's record", (_, root) => findRecord(task(root), call)),
  at(`${TASK}/outputs/s.codex.call.json`, 'the records of failed sessions', (_, root) => failedSession(task(root))),
  at(`${TASK}/outputs/s.codex.out`, 'an answer', readAnswer),
  at(`${TASK}/outputs/s.codex.err`, 'an excerpt', excerpt),
  at(`${TASK}/state/attempts/${CALL}/record.json`, "an attempt's record", recordIn),
  at(`${TASK}/state/attempts/${CALL}/attempt.json`, 'a draft', (file) => savedMarker(path.dirname(file), call)),
  at(`${TASK}/state/attempts/${CALL}/stdout`, 'the last event', (events) =>
    lastEvent({ stage: 's', tool: 'codex', events }),
  ),
  ...(['stdout', 'stderr', 'usage'] as const).map((name) =>
    at(`${TASK}/state/attempts/${CALL}/${name}`, `${name} of a call`, async (file, root) => {
      const files = { stdout: beside(root, 'o'), stderr: beside(root, 'e'), usage: path.join(root, 'u'), [name]: file };
      // A CLI's own streams are read at any length, in constant memory: their size is limited while the CLI runs.
      const reading = read(files, ADAPTERS.copilot);
      if (name === 'usage') await reading.finish();
      else reading.look();
      reading.release();
    }),
  ),
  at(`${TASK}/state/baseline/s`, 'a snapshot', loadSnapshot),
  at(`${TASK}/state/start/tree`, 'the tree at the start', (_, root) => startOf(path.join(root, TASK, 'state'))),
  at('.tmp/state/trees/q.1.jsonl', 'a queue', (file) => openQueue(path.dirname(file), 'q', now).join(ticket)),
  at('.tmp/state/trees', "a queue's folder", (folder) => openQueue(folder, 'q', now).join(ticket)),
  at('.tmp/state/trees/q.1.jsonl', 'a queue that is looked at', (file) => standingTickets(path.dirname(file)).size),
  at('.tmp/state/sessions.json', 'the sessions', (_, root) => readSessions(path.join(root, '.tmp'), now)),
  at('.tmp/state/api_errors.log', 'the log of failures', (file) => [...readLog(file)].length),
  at('.tmp/state/api_errors.log', 'a line for the log', (file) =>
    appendToLog(path.dirname(file), 'api_errors.log', 'x\n', now),
  ),
  at('.tmp/batch/b/report.json', "a batch's report", (_, root) => savedReport(path.join(root, '.tmp'), 'b')),
  at('.tmp/batch/b/started.json', "a batch's start", (_, root) => savedReport(path.join(root, '.tmp'), 'b')),
  at('tollgate.yaml', 'the project file', (_, root) => readProject(root)),
  at('prompts/p.md', 'a template', (_, root) =>
    readWithin({ folder: root, root, forbids: () => null }, 'prompts/p.md'),
  ),
  at('src/a.ts', 'an attachment', (file) => readText(file, 1000, 16 * 1024 * 1024)),
  at('.git/HEAD', 'a HEAD', (file, root) =>
    commitOf({ top: root, own: path.dirname(file), common: path.dirname(file) }),
  ),
  at(`.local/state/tollgate/calls/${CALL}.json`, 'the register', (_, root) =>
    readEntries(registerFolder({ HOME: root })!),
  ),
  at('.local/state/tollgate/cli-versions.json', 'the known versions', (_, root) =>
    recallVersion({ HOME: root }, '/bin/sh', Date.now()),
  ),
  at('.local/state/tollgate/conversations/codex.id/edits.jsonl', 'the ledger of edits', (_, root) =>
    readEdits(editsLedger('codex', 'id', { HOME: root })!),
  ),
  at('.local/state/tollgate/conversations/codex.id/edits.jsonl', 'a line for the ledger', (_, root) =>
    planEdit(editsLedger('codex', 'id', { HOME: root })!, EDIT),
  ),
  at('corpus/a.jsonl', 'a corpus', (file, root) => readCorpus(path.dirname(file), root)),
  at('captures/c/meta.json', 'a recorded call', (_, root) =>
    readCapturedFiles('c', 'codex', { file: path.join(root, 'captures/x.jsonl'), line: 1, homes: [root] }),
  ),
  at('m.done', 'a marker', readVersion),
  at('m.pid', 'a pid file', (file) => readNamed({ file })),
  at('lines', 'lines that are waited for', (file) => countLines(file, 10)),
  at('said', 'what a command printed', (file, root) => {
    const log = openOutputLog(path.join(root, 'log'), REDACTOR, 1024 * 1024);
    try {
      return log.add('x', file);
    } finally {
      log.close();
    }
  }),
  at('published', 'the place of a published file', (file, root) =>
    copyRedacted(beside(root, 'o'), file, REDACTOR, 'renamed'),
  ),
  at('folder', 'a folder that is synced', syncFolder),
  at('session', 'how a file of a session ends', (file) =>
    endsWithinLine({ file, device: 0, inode: 0, bytes: 1, changedAtMs: 0 }),
  ),
  at('session', 'the lines of a session', (file) => openLines(file).count),
  at('session', "gemini's session", (file) =>
    GEMINI_SESSIONS.open({ tool: 'gemini', id: 'a', file, cwd: null, cliVersion: null, bytes: 1, changedAtMs: 0 }),
  ),
  at('session', "the beginning of gemini's session", readBeginning),
  at('session', 'the first lines of a session', (file) => [...firstRecords(file, 1024 * 1024)]),
  at('node_modules/p/package.json', 'the version of a package', (file) =>
    versionOfPackage(path.join(path.dirname(file), 'bin'), 'p'),
  ),
  at('.gemini/settings.json', "gemini's settings", readSettings),
  at('.codex/config.toml', "codex's settings", (_, root) => overlay(request(root))),
  ...(['gemini', 'copilot', 'codex'] as const).map((tool) =>
    at(
      { gemini: '.gemini/settings.json', copilot: '.copilot/config.json', codex: '.codex/auth.json' }[tool],
      `the sign-in of ${tool}`,
      (_, root) => ADAPTERS[tool].signIn(surroundings(root)),
    ),
  ),
];

/** Creates an empty world with the path for one thing to read. */
export function placeIn(root: string, { place }: Reader): string {
  const file = path.join(root, place);
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  return file;
}
