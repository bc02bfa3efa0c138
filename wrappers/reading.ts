// Reads what a running CLI writes, as it comes: its event stream into a capture, its stderr into error lines.

import path from 'node:path';
import type { EngineEvent, EngineFailure } from '../policies/facts/engine-event.ts';
import type { Requirements } from '../policies/facts/requirements.ts';
import type { Tool } from '../policies/facts/tools.ts';
import { asksToSignIn } from '../policies/rule/sign-in-prompt.ts';
import { isOfHelper } from '../policies/rules/mcp.ts';
import type { ErrorLines } from '../policies/stderr/error-lines.ts';
import { parseCutObject } from '../policies/text/cut-json.ts';
import { serversIn } from '../policies/verdict/mcp-servers.ts';
import { readIfFit } from '../state/disk/regular-file.ts';
import type { Adapter } from './adapter.ts';
import { type Capture, createCapture } from './capture.ts';
import { keepCut, keptCut } from './following/cut.ts';
import { type Follower, follow, watchFolder } from './following/follow.ts';
import { createLineSplitter, MAX_STDERR_LINE } from './line-splitter.ts';
import type { CliExit } from './own/conclude.ts';
import { printedIn } from './own/printed.ts';
import { writtenTo } from './own/written.ts';

export interface StreamReading {
  /** Reads on whenever the files grow; `onGrowth` gets their size in bytes. */
  watch(onEvent: (event: EngineEvent, turns: () => number) => void, onGrowth: (bytes: number) => void): void;
  /** Loads what picks error lines before the CLI writes any. To load it later would delay ending a CLI that lacks what is required. */
  prepare(): void;
  /** Looks once, now. */
  look(): void;
  /** We are about to send our first signal: what the CLI writes from now on makes no success. */
  signalling(): void;
  /** After `finish`: the CLI reported success beyond the limit of output. */
  isOversized(): boolean;
  /** Reads the rest; watches no longer. */
  finish(exit?: CliExit): Promise<void>;
  /** Watches no longer and closes the files; what is watched keeps us from ending. */
  release(): void;
  streams: Streams;
  capture(): Capture;
  /** What the caller requires and the call lacks by now. */
  unmet(): EngineFailure | null;
  errorLines(): string[];
  remarks(): string[];
  stderrBytes(): number;
  /** How large both files were at the last look. */
  bytes(): number;
}

/** What a CLI wrote, as open files: an agent may put something else in the place of their names. */
export interface Streams {
  stdout: number;
  /** null where nothing that can be read stood in its place when it was opened. */
  stderr: number | null;
  /** Nothing reads them after that; again does nothing. */
  close(): void;
}

/** What counts only before our first signal: what makes a success, and that the turn was stopped, which a CLI may say because of the signal. */
const BEFORE_SIGNAL: ReadonlySet<EngineEvent['how']> = new Set(['said', 'outsized', 'completed', 'stopped']);

/** Of a longer line of the event stream only the beginning is read. */
const MAX_EVENT_LINE = 64 * 1024 * 1024;

/** What tells of the answer is too large for one; of all others, such as a tool's result, what is known counts. */
function readOutsized(line: string, { readEvent }: Pick<Adapter, 'readEvent'>): EngineEvent[] {
  const json = parseCutObject(line);
  const events = json === null ? [] : readEvent(JSON.stringify(json));
  if (events.length === 0) return [{ how: 'outsized', what: 'unknown' }];
  return events.map((event) => (event.how === 'said' ? { how: 'outsized', what: 'answer' } : event));
}

export function read(
  files: { stdout: string; stderr: string; usage: string; log?: string },
  adapter: Pick<Adapter, 'readEvent' | 'readStderr' | 'log' | 'usageFile' | 'described'> & Speaker,
  maxOutputBytes = Number.POSITIVE_INFINITY,
  requires?: Requirements,
): StreamReading {
  const capture = createCapture(requires);
  const selected = createSelection(speakerOf(adapter));
  let tell: (event: EngineEvent, turns: () => number) => void = () => {};
  let grown: (bytes: number) => void = () => {};
  let stopWatching = () => {};
  let watching = false;
  let finished = false;
  let size = 0;
  let broken: Error | null = null;

  let isCut = false;
  let completedLate = false;

  const take = (events: readonly EngineEvent[], from: 'stream' | 'stderr') => {
    for (const event of events.flatMap(withServers)) {
      if (isCut && event.how === 'completed') completedLate = true;
      if (!isCut || !BEFORE_SIGNAL.has(event.how)) capture.add(event, from);
      tell(event, () => capture.result().turns ?? 0);
    }
  };
  let asks = adapter.described === undefined && adapter.tool !== null;
  const takeQuestion = (line: string) => {
    if (!asks || line === '' || line.startsWith('{') || !asksToSignIn(line)) return;
    asks = false;
    take([{ how: 'asked_to_sign_in', message: line.trim() }], 'stream');
  };
  const stdout = follow(
    files.stdout,
    createLineSplitter(MAX_EVENT_LINE, 'all', (line, dropped) => {
      take(dropped === 0 ? adapter.readEvent(line) : readOutsized(line, adapter), 'stream');
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
  let told = 0;
  const takeLines = (lines: string) => {
    for (const line of lines.split('\n')) {
      takeQuestion(line);
      const events = adapter.readStderr?.(line) ?? [];
      told += events.length;
      take(events, 'stderr');
      if (!events.some(({ how }) => how === 'server')) take(failedServers(line), 'stderr');
    }
    // Behind what may end the call.
    selected.push(lines);
  };
  const stderr = followAfter(stdout, files.stderr, takeLines, () => told);
  // What it logs of its servers counts before what it does next.
  const log = adapter.log === null || files.log === undefined ? null : followLog(files.log, adapter.log, take);
  const look = () => {
    if (finished || broken !== null) return;
    try {
      advance();
    } catch (error) {
      // Told at the end: the call goes on, and its deadlines with it.
      broken = error as Error;
    }
  };
  const advance = () => {
    const now = stdout.size() + (stderr?.size() ?? 0);
    if (now > size) grown(now);
    size = now;
    while (log?.advance());
    const more = [stdout.advance(), stderr?.advance()].includes(true);
    // A question has no line end.
    for (const one of [stdout, stderr]) if (asks && one !== null) takeQuestion(one.begun());
    // A flood is read in turns, so that deadlines and signals are not kept waiting.
    if (more && watching) setImmediate(look);
  };

  const close = () => {
    stdout.close();
    stderr?.close();
    log?.close();
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
      stopWatching = watchFolder(path.dirname(files.stdout), look);
      look();
    },
    look,
    prepare: selected.prepare,
    signalling() {
      cut(stdout.size());
      keepCut(files.stdout, cutAt);
    },
    isOversized: () => isOversized,
    async finish(exit = 'unseen') {
      finished = true;
      stopWatching();
      while (log?.advance());
      log?.finish();
      while (stdout.advance());
      for (let more = true; more; await selected.ready()) more = stderr?.advance() ?? false;
      size = stdout.size() + (stderr?.size() ?? 0);
      stdout.finish();
      stderr?.finish();
      await selected.ready();
      // A count that the CLI did not write, or that cannot be read, is unknown.
      const usage = adapter.usageFile === null ? null : readIfFit(files.usage);
      if (adapter.usageFile !== null && usage !== null)
        take([{ how: 'counted', usage: adapter.usageFile.read(usage) }], 'stream');
      const printed = () => printedIn(stdout.descriptor, MAX_EVENT_LINE, cutAt);
      // The end of a described CLI says what its output before the signal is worth; beyond the limit it is worth nothing.
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
    errorLines: () => selected.lines(),
    remarks: () => selected.remarks(),
    stderrBytes: () => stderr?.bytes() ?? 0,
    bytes: () => size,
  };
}

/** A warning that names servers that failed tells of them alone. */
function withServers(event: EngineEvent): EngineEvent[] {
  if (event.how !== 'warned') return [event];
  const servers = failedServers(event.message);
  return servers.length === 0 ? [event] : servers;
}

/** In the words of any CLI. */
function failedServers(said: string): EngineEvent[] {
  if (!/mcp/i.test(said) || !isOfHelper(said)) return [];
  return serversIn(said).map((name) => ({ how: 'server', name, state: 'failed', why: said.trim() }));
}

/** null where it cannot be read: what stands in it is lost. */
function followLog(
  file: string,
  { readLine }: NonNullable<Adapter['log']>,
  take: (events: readonly EngineEvent[], from: 'stderr') => void,
): Follower | null {
  try {
    return follow(
      file,
      createLineSplitter(MAX_STDERR_LINE, 'all', (line) => take(readLine(line), 'stderr')),
    );
  } catch {
    return null;
  }
}

/** null where the agent of a call that is over has removed it or put something else there: the answer is in the other. */
function followAfter(
  first: Follower,
  file: string,
  take: (lines: string) => void,
  told: () => number,
): Follower | null {
  try {
    return follow(file, createLineSplitter(MAX_STDERR_LINE, 'shown', take, take), told);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EINVAL') return null;
    first.close();
    throw error;
  }
}

/** Whose words stand on stderr. */
export interface Speaker {
  /** null: a plain command, which may be anything. */
  tool: Tool | null;
}

/** A codex that a project describes speaks like codex. */
const speakerOf = ({ tool, described }: Pick<Adapter, 'described'> & Speaker): Tool | null =>
  described !== undefined && path.basename(described.row.binary) === 'codex' ? 'codex' : tool;

/** Picks error lines with what is loaded once it is prepared, or once stderr says something. */
function createSelection(tool: Tool | null) {
  let picker: ErrorLines | null = null;
  let loading: Promise<void> | null = null;
  const early: string[] = [];
  const load = async () => {
    const { createErrorLines } = await import('../policies/stderr/error-lines.ts');
    picker = createErrorLines(tool);
    for (const lines of early) picker.pushAll(lines);
    early.length = 0;
  };
  const prepare = () => {
    loading ??= load();
  };
  return {
    prepare,
    /** One line, or a text of many. */
    push(lines: string) {
      if (picker !== null) return picker.pushAll(lines);
      early.push(lines);
      prepare();
    },
    ready: () => loading,
    lines: () => picker?.lines() ?? [],
    remarks: () => picker?.remarks() ?? [],
  };
}
