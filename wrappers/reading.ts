// Reads the output of a running CLI as it arrives: its event stream into a capture, its stderr into error lines.

import path from 'node:path';
import { type EngineEvent, type EngineFailure, isSessionId } from '../policies/facts/engine-event.ts';
import type { Requirements } from '../policies/facts/requirements.ts';
import type { Tool } from '../policies/facts/tools.ts';
import { asksToSignIn } from '../policies/rules/access.ts';
import { isOmitted } from '../policies/rules/described-events.ts';
import { isOfHelper, serversIn } from '../policies/rules/mcp.ts';
import { createErrorLines, orSpoken } from '../policies/signature/error-lines.ts';
import { parseCutObject } from '../policies/text/json.ts';
import { readIfFit } from '../state/disk/regular-file.ts';
import type { Adapter } from './adapter.ts';
import { type Capture, createCapture } from './capture.ts';
import { keepCut, keptCut } from './following/cut.ts';
import { type Follower, follow, watchFolder } from './following/follow.ts';
import { followSessions, type UsageSource } from './following/usage-log.ts';
import { createLineSplitter, MAX_STDERR_LINE } from './line-splitter.ts';
import { type CliExit, printedIn, writtenTo } from './own/conclude.ts';

export interface StreamReading {
  /** Continues to read whenever the files grow; `onGrowth` gets their size in bytes. */
  watch(onEvent: (event: EngineEvent) => void, onGrowth: (bytes: number) => void): void;
  /** Reads once, now. */
  look(): void;
  /** Looks once more for the file in which the CLI counts its requests. */
  seekCounts(): Promise<void>;
  /** Call this before our first signal: output that the CLI writes after it cannot make the call a success. */
  signalling(): void;
  /** After `finish`: the CLI reported success beyond the limit of output. */
  isOversized(): boolean;
  /** Reads the rest, and stops watching. */
  finish(exit?: CliExit): Promise<void>;
  /** Stops watching and closes the files. An open watch would keep this process alive. */
  release(): void;
  streams: Streams;
  capture(): Capture;
  /** What the caller requires and the call lacks so far. */
  unmet(): EngineFailure | null;
  errorLines(): string[];
  remarks(): string[];
  stderrBytes(): number;
  /** The size of both files at the last read. */
  bytes(): number;
}

/** The CLI's output as open files: an agent may replace the files at their paths. */
export interface Streams {
  stdout: number;
  /** null if no readable file was there when it was opened. */
  stderr: number | null;
  /** No code reads the files after this. A second call does nothing. */
  close(): void;
}

/** Events that count only before our first signal: of a success, and `stopped`, which may report the signal. */
const BEFORE_SIGNAL: ReadonlySet<EngineEvent['how']> = new Set(['said', 'outsized', 'completed', 'stopped']);

/** Only the beginning of a longer line of the event stream is read. */
const MAX_EVENT_LINE = 64 * 1024 * 1024;

/** What tells of the answer is too large for one; of all others, such as a tool's result, what is known counts. */
function readOutsized(line: string, readEvent: Adapter['readEvent']): EngineEvent[] {
  const json = parseCutObject(line);
  const events = json === null ? [] : readEvent(JSON.stringify(json));
  if (events.length === 0) return [{ how: 'outsized', what: 'unknown' }];
  return events.map((event) => (event.how === 'said' ? { how: 'outsized', what: 'answer' } : event));
}

/** What the files of a call are read with. */
export type ReadingAdapter = Pick<Adapter, 'readEvent' | 'readStderr' | 'log' | 'usageFile' | 'described'> & {
  /** null: a plain command, which may be anything. */
  tool: Tool | null;
  /** Its version reports when it knows the tools of a server. */
  listsTools?: boolean;
};

export function read(
  files: { stdout: string; stderr: string; usage: string; log?: string },
  adapter: ReadingAdapter,
  maxOutputBytes = Number.POSITIVE_INFINITY,
  requires?: Requirements,
  usage?: UsageSource,
): StreamReading {
  const capture = createCapture(requires, undefined, adapter.listsTools);
  const selected = createErrorLines(speakerOf(adapter));
  const spoken = createErrorLines(speakerOf(adapter));
  let streams = adapter.described !== undefined || adapter.tool === null;
  let fails = false;
  let tell: (event: EngineEvent) => void = () => {};
  let grown: (bytes: number) => void = () => {};
  let stopWatching = () => {};
  let watching = false;
  let finished = false;
  let size = 0;
  let broken: Error | null = null;

  let isCut = false;
  let completedLate = false;

  const take = (events: readonly EngineEvent[], from: 'stream' | 'stderr') => {
    for (const event of events.flatMap(withServers).map(withoutStrangeId)) {
      if (event.how === 'session_named') counts.named(event.id);
      if (event.how === 'sub_agent') counts.joined(event.id);
      if (isCut && event.how === 'completed') completedLate = true;
      if (!isCut || !BEFORE_SIGNAL.has(event.how)) capture.add(event, from);
      tell(event);
    }
  };
  let asks = adapter.described === undefined && adapter.tool !== null;
  /** @param catchUp reads what was written to the other stream before: after an answer nothing is a question to a person. */
  const takeQuestion = (line: string, catchUp = () => {}) => {
    if (!asks || line === '' || line.startsWith('{') || !asksToSignIn(line)) return;
    catchUp();
    asks = false;
    take([{ how: 'asked_to_sign_in', message: line.trim() }], 'stream');
  };
  const readEvent = adapter.described?.reader() ?? adapter.readEvent;
  const stdout = follow(
    files.stdout,
    createLineSplitter(MAX_EVENT_LINE, 'all', (line, dropped) => {
      const events = dropped === 0 ? readEvent(line) : readOutsized(line, readEvent);
      streams ||= events.length > 0;
      if (!streams) spoken.push(line);
      take(events, 'stream');
      takeQuestion(line);
    }),
  );
  let cutAt = Number.POSITIVE_INFINITY;
  const cut = (offset: number) => {
    if (offset >= cutAt) return;
    cutAt = offset;
    stdout.divide(offset, () => {
      isCut = true;
    });
  };
  cut(Math.min(maxOutputBytes, keptCut(files.stdout)));
  let isOversized = false;
  let eventCount = 0;
  const takeLine = (line: string) => {
    takeQuestion(line, () => stdout.advance());
    const events = adapter.readStderr?.(line) ?? [];
    eventCount += events.length;
    take(events, 'stderr');
    if (!events.some(({ how }) => how === 'server')) take(failedServers(line), 'stderr');
    // This comes after the events, which may end the call.
    if (!isOmitted(adapter.described?.row.omit ?? [], line)) selected.push(line);
  };
  const stderr = followAfter(stdout, files.stderr, takeLine, () => eventCount);
  // The log is read first: what it says of servers must count before the CLI's next events.
  const log = adapter.log === null || files.log === undefined ? null : followLog(files.log, adapter.log, take);
  const counts = followSessions(
    usage,
    (events) => take(events, 'stderr'),
    () => look(),
  );
  const look = () => {
    if (finished || broken !== null) return;
    try {
      advance();
    } catch (error) {
      // The error is kept. The call continues, and so do its deadlines.
      broken = error as Error;
    }
  };
  const advance = () => {
    const now = stdout.size() + (stderr?.size() ?? 0);
    if (now > size) grown(now);
    size = now;
    while (log?.advance());
    while (counts.advance());
    const more = [stdout.advance(), stderr?.advance()].includes(true);
    // A question has no line end.
    for (const one of [stdout, stderr]) if (asks && one !== null) takeQuestion(one.begun(), () => stdout.advance());
    // A flood is read in steps, so that it does not delay deadlines and signals.
    if (more && watching) setImmediate(look);
  };

  const said = () => (fails && !streams ? orSpoken(selected, spoken) : selected);

  const close = () => {
    stdout.close();
    stderr?.close();
    log?.close();
    counts.close();
  };
  const release = () => {
    finished = true;
    stopWatching();
    close();
  };

  return {
    watch(onEvent, onGrowth) {
      tell = onEvent;
      grown = onGrowth;
      watching = true;
      // The log is in another folder than the output.
      const folders = [files.stdout, ...(log === null ? [] : [files.log!])].map((file) => path.dirname(file));
      const watches = folders.map((folder) => watchFolder(folder, look));
      stopWatching = () => {
        for (const stop of watches) stop();
      };
      look();
    },
    look,
    seekCounts: () => counts.seek(),
    signalling() {
      cut(stdout.size());
      keepCut(files.stdout, cutAt);
    },
    isOversized: () => isOversized,
    async finish(exit = 'unseen') {
      finished = true;
      fails = typeof exit === 'number' && exit !== 0;
      stopWatching();
      while (log?.advance());
      log?.finish();
      await counts.seek();
      while (stdout.advance());
      while (stderr?.advance());
      size = stdout.size() + (stderr?.size() ?? 0);
      stdout.finish();
      stderr?.finish();
      // A sub-agent may be named in the last lines.
      await counts.seek();
      counts.finish();
      counts.close();
      // A call that was ended has no total, to which those of its sub-agents could be added.
      const ofAgents = counts.ofAgents();
      if (ofAgents !== null && capture.result().usage.total_tokens !== null)
        take([{ how: 'counted', usage: ofAgents, adds: true }], 'stream');
      // A count that the CLI did not write, or that cannot be read, is unknown.
      const usage = adapter.usageFile === null ? null : readIfFit(files.usage);
      if (adapter.usageFile !== null && usage !== null)
        take([{ how: 'counted', usage: adapter.usageFile.read(usage) }], 'stream');
      const printed = () => printedIn(stdout.descriptor, MAX_EVENT_LINE, cutAt);
      // The end of a described CLI decides what its output before the signal counts for. Output over the limit does not count.
      isCut = stdout.size() > maxOutputBytes;
      if (adapter.described !== undefined)
        take(
          adapter.described.conclude({ exit, printed, written: () => writtenTo(files.usage, MAX_EVENT_LINE) }),
          'stream',
        );
      isOversized = completedLate && stdout.size() > maxOutputBytes;
      if (isOversized) keepCut(files.stdout, maxOutputBytes);
    },
    release,
    streams: { stdout: stdout.descriptor, stderr: stderr?.descriptor ?? null, close },
    capture: () => capture.result(),
    unmet: () => capture.unmet(),
    errorLines: () => said().lines(),
    remarks: () => said().remarks(),
    stderrBytes: () => stderr?.bytes() ?? 0,
    bytes: () => size,
  };
}

/** Replaces a warning that names failed servers by one event for each server. */
function withServers(event: EngineEvent): EngineEvent[] {
  if (event.how !== 'warned') return [event];
  const servers = failedServers(event.message);
  return servers.length === 0 ? [event] : servers;
}

/** A session of such an id could be neither resumed nor stored, so it stays unknown. */
function withoutStrangeId(event: EngineEvent): EngineEvent {
  if (event.how !== 'session_named' || isSessionId(event.id)) return event;
  const shown = JSON.stringify(event.id.slice(0, 40));
  return { how: 'warned', message: `its session id ${shown} has a wrong form: it is taken for unknown` };
}

/** Recognises the messages of every CLI. */
function failedServers(said: string): EngineEvent[] {
  if (!/mcp/i.test(said) || !isOfHelper(said)) return [];
  return serversIn(said).map((name) => ({ how: 'server', name, state: 'failed', why: said.trim() }));
}

/** Returns null if the log cannot be read: its content is lost. */
function followLog(
  file: string,
  { reader }: NonNullable<Adapter['log']>,
  take: (events: readonly EngineEvent[], from: 'stderr') => void,
): Follower | null {
  const readLine = reader();
  try {
    return follow(
      file,
      createLineSplitter(MAX_STDERR_LINE, 'all', (line) => take(readLine(line), 'stderr')),
    );
  } catch {
    return null;
  }
}

/** Returns null if the agent removed or replaced the file and the call is over. The answer is in the other file. */
function followAfter(
  first: Follower,
  file: string,
  take: (line: string) => void,
  countEvents: () => number,
): Follower | null {
  try {
    return follow(file, createLineSplitter(MAX_STDERR_LINE, 'shown', take), countEvents);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EINVAL') return null;
    first.close();
    throw error;
  }
}

/** The program whose messages are on stderr. */
/** A codex that a project describes writes the same messages as codex. */
const speakerOf = ({ tool, described }: ReadingAdapter): Tool | null =>
  described !== undefined && path.basename(described.row.binary) === 'codex' ? 'codex' : tool;
