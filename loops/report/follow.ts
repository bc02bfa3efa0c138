// Follows the redacted output of a task's latest call, and on request of all later calls until the task ends.

import path from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import type { EngineEvent } from '../../policies/facts/engine-event.ts';
import { serverWords } from '../../policies/facts/requirements.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import { isRegular } from '../../state/disk/regular-file.ts';
import { type Journal, openJournal } from '../../state/journal/journal.ts';
import type { Call, Ledger } from '../../state/journal/ledger.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { waitForChange } from '../../state/wait-for-change.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { attemptIn } from '../attempt/attempt.ts';
import { redactedOf } from '../attempt/captured.ts';
import { savedRedactor } from '../attempt/restored-draft.ts';
import { type GrowingFile, growingFile, type Missed } from './growing-file.ts';
import { standingOf } from './task-state.ts';

export interface FollowedLine {
  call_id: string;
  stage: string;
  of: 'event' | 'stderr';
  text: string;
}

interface Following {
  task: TaskFolder;
  /** null for any. */
  stage: string | null;
  /** `now`: only the present output. `end`: until no process works on the task. */
  until: 'now' | 'end';
  /** The CLI's events in words, or as received. */
  events: 'words' | 'raw';
  /** Of the events in words, one that is left out. */
  without?: EngineEvent['how'];
  /** Of what is unread in a file, only so many bytes at its end are read. Without it, all are. */
  most?: number;
  environment: NodeJS.ProcessEnv;
  stop: AbortSignal;
  clock: () => Date;
  /** Called for each call before its first line, with the result of its gate if there is one. */
  begin(call: Call, gate: GateFact | null): void;
  /** Called once for each call whose output cannot be shown. */
  lack?(why: string): void;
  /** Awaited, so that a slow reader is not overrun; `enough` ends the following. */
  take(lines: readonly FollowedLine[], missed: Missed): Promise<'more' | 'enough'>;
}

type GateFact = NonNullable<ReturnType<Ledger['gates']['get']>>;

/** `missing`: what could not be shown, and why. `failed`: whether the last call, or its gate, has failed. */
type Followed =
  | { how: 'done'; calls: number; missing: string[]; failed: boolean }
  | { how: 'invalid'; message: string };

/** The interval of checks. The file system may report a write, but never the death of a process. */
const LOOK_MS = 400;

/** Calls `begin` and `take` for each call. Resolves with the number of calls shown, or with `invalid` and a sentence. */
export async function followCalls(following: Following): Promise<Followed> {
  const calls: Calls = { current: null };
  try {
    return await followFrom(calls, following);
  } finally {
    calls.current?.close();
  }
}

interface Calls {
  current: Opened | null;
}

async function followFrom(opened: Calls, following: Following): Promise<Followed> {
  const { task, stage, until, stop, clock, begin, take } = following;
  const journal = openJournal(task.root, clock);
  const missing: string[] = [];
  let shown = 0;
  for (;;) {
    const { ledger, isAtWork } = await look(journal);
    const calls = callsOf(ledger, stage);
    if (calls.length === 0 && !isAtWork) {
      const known = [...new Set(callsOf(ledger, null).map(({ reserved }) => reserved.stage))];
      if (stage !== null && known.length > 0)
        return { how: 'invalid', message: `no call of stage "${stage}" was made; there are ${known.join(', ')}` };
    }
    // At the first check only the latest call counts, afterwards each new call.
    const { current: before } = opened;
    const due =
      before === null ? calls.slice(-1) : calls.slice(calls.findIndex((call) => idOf(call) === idOf(before.call)));
    for (const call of due) {
      if (opened.current === null || idOf(call) !== idOf(opened.current.call)) {
        opened.current?.close();
        opened.current = openCall(call, following);
        shown += 1;
        begin(call, gateOf(ledger, call));
      }
      do {
        const read = opened.current.read(call.verdict !== null);
        if (read.how === 'missing') {
          missing.push(read.why);
          following.lack?.(read.why);
        } else if ((await take(read.lines, read.missed)) === 'enough')
          return { how: 'done', calls: shown, missing, failed: false };
        // Without this, no signal would be handled if no read has to wait.
        await immediate();
      } while (opened.current.isBehind() && !stop.aborted);
    }
    if (until === 'now' || !isAtWork || stop.aborted) {
      const last = calls.at(-1);
      const failed = last !== undefined && (!!last.verdict?.class || gateOf(ledger, last)?.passed === false);
      return { how: 'done', calls: shown, missing, failed };
    }
    await waitForChange(opened.current?.events.path() ?? journal.file, LOOK_MS, stop);
  }
}

function gateOf({ gates }: Ledger, { reserved }: Call): GateFact | null {
  const gate = gates.get(reserved.stage);
  return gate?.call_id === reserved.call_id ? gate : null;
}

const idOf = ({ reserved }: Call): string => reserved.call_id;

const callsOf = ({ calls }: Ledger, stage: string | null): Call[] =>
  [...calls.values()].filter(({ granted, reserved }) => granted && (stage === null || reserved.stage === stage));

async function look(journal: Journal): Promise<{ ledger: Ledger; isAtWork: boolean }> {
  const self = (await identify(process.pid))!;
  const { state } = await standingOf(journal.read().ledger, self);
  // Reads again: a process that no longer works has written everything by now.
  return { ledger: journal.read().ledger, isAtWork: state === 'running' };
}

interface Opened {
  call: Call;
  events: GrowingFile;
  read(last: boolean): Read;
  /** Whether there is more than was read. */
  isBehind(): boolean;
  close(): void;
}

/** `missing` is reported once. */
type Read = { how: 'read'; lines: FollowedLine[]; missed: Missed } | { how: 'missing'; why: string };
const NOTHING: Read = { how: 'read', lines: [], missed: { bytes: 0, beganAgain: false } };

function openCall(call: Call, { task, environment, events: how, most, without }: Following): Opened {
  const { call_id, stage, tool } = call.reserved;
  const attempt = attemptIn(path.join(task.attempts, call_id), '');
  const { stdout: rawEvents, stderr: rawStderr } = attempt.files;
  const events = growingFile([redactedOf(rawEvents), rawEvents], most);
  const stderr = growingFile([redactedOf(rawStderr), rawStderr], most);
  let saved: ReturnType<typeof savedRedactor> = null;
  let isMissing = false;
  const telling = how === 'words' ? createTelling(without) : null;
  const line = (of: FollowedLine['of'], text: string): FollowedLine => ({ call_id, stage, of, text });
  return {
    call,
    events,
    read(last) {
      // The call's draft is needed to know what is secret. A call that was just reserved has none yet.
      saved ??= savedRedactor(attempt.folder, call, environment);
      if (saved === null || (saved.withheld !== null && !isRegular(redactedOf(rawEvents)))) {
        const why = saved?.withheld ?? (last ? `the files of call ${call_id} are gone` : null);
        if (why === null || isMissing) return NOTHING;
        isMissing = true;
        return { how: 'missing', why };
      }
      const { redactor } = saved;
      const said = events.read(last).flatMap((text) => saidIn(tool, text, telling));
      if (last && !events.isBehind()) said.push(...(telling?.end() ?? []));
      const lines = [
        ...said.map((text) => line('event', redactor.redact(text))),
        ...stderr.read(last).map((text) => line('stderr', redactor.redact(text))),
      ];
      const [ofEvents, ofStderr] = [events.missed(), stderr.missed()];
      const missed = { bytes: ofEvents.bytes + ofStderr.bytes, beganAgain: ofEvents.beganAgain || ofStderr.beganAgain };
      return { how: 'read', lines, missed };
    },
    isBehind: () => events.isBehind() || stderr.isBehind(),
    close() {
      events.close();
      stderr.close();
    },
  };
}

/** @param telling null for the events as received. */
function saidIn(tool: Tool, text: string, telling: Telling | null): string[] {
  if (text.trim() === '') return [];
  if (telling === null) return [text];
  try {
    const { described, readEvent } = adapterOf(tool);
    // A CLI without events prints its answer.
    if (described !== undefined && described.row.output !== 'lines') return [text];
    return readEvent(text).flatMap((event) => telling.hear(event));
  } catch {
    return [text];
  }
}

interface Telling {
  /** Returns the lines that this event completes. */
  hear(event: EngineEvent): string[];
  /** Returns the remaining text when no more events follow. */
  end(): string[];
}

/** Turns the events of a call into lines for a reader. */
export function createTelling(without?: EngineEvent['how']): Telling {
  /** The message that arrives in pieces, and the length of its printed part. */
  let said = '';
  let given = 0;
  const end = (): string[] => {
    const rest = said.slice(given);
    said = '';
    given = 0;
    return rest === '' ? [] : [rest];
  };
  return {
    end,
    hear(event) {
      if (event.how === without) return [];
      if (event.how !== 'said') {
        const words = eventWords(event);
        return words === null ? [] : [...end(), words];
      }
      if (event.whole) {
        const isRepeated = said.trim() !== '' && said.trim() === event.text.trim();
        const rest = end();
        return isRepeated ? rest : [...rest, ...event.text.split('\n')];
      }
      said += event.text;
      const until = said.lastIndexOf('\n');
      if (until < given) return [];
      const lines = said.slice(given, until).split('\n');
      given = until + 1;
      return lines;
    },
  };
}

/** Returns null for an event that is of no use to a reader. */
function eventWords(event: Exclude<EngineEvent, { how: 'said' }>): string | null {
  switch (event.how) {
    case 'tool_began':
      return `-> ${event.name}`;
    case 'tool_ended':
      return event.denied ? `<- ${event.name ?? 'a tool'}: denied` : null;
    case 'tool_denied':
      return `<- ${event.name ?? 'a tool'}: denied`;
    case 'server':
      return event.state === 'connected' ? null : serverWords({ ...event, why: event.why ?? null });
    case 'session_named':
      return `session ${event.id}`;
    case 'asked_to_sign_in':
      return `asks to sign in: ${event.message}`;
    case 'warned':
      return `warning: ${event.message}`;
    case 'retrying':
      return `announces a retry${after(event.failure.message)}`;
    case 'erred':
      return `error${after(event.failure.message)}`;
    case 'stopped':
    case 'failed':
      return `gives up${after(event.failure.message)}`;
    case 'outsized':
      return 'an event too long to be read whole';
    case 'completed':
      return 'ended its turn';
    case 'message_ended':
    case 'servers_listed':
    case 'sub_agent':
    case 'model_named':
    case 'turn_began':
    case 'requested':
    case 'counted':
    case 'spent':
      return null;
  }
}

const after = (message: string): string => (message === '' ? '' : `: ${message}`);
