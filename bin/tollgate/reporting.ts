// Reports on stderr what a run does: lines of stages and a moving one on a terminal, a collapsed section in the log of a CI.

import { lastEvent, type Underway } from '../../loops/task/last-event.ts';
import type { FinishedStage, RunContext } from '../../loops/task/run-context.ts';
import { counted, figure, oneLine, printable, spell, tookWords, visible } from '../../policies/text/display.ts';
import type { Arguments } from '../command-line.ts';
import { printing } from '../printing.ts';
import { type Progress, startProgress } from '../progress-line.ts';
import { coloursOf, type Paint, type Sheet, sheetFor } from '../sheet.ts';
import { cutLine, lengthOf } from '../wrap.ts';

interface LineReporting extends StageLines {
  /** The last message, and the last event of the CLI. */
  present(): string;
}

/** A terminal shows a line for each stage, and one that moves. A pipe gets a line for each event. */
export function startReporting(args: Arguments): StageLines {
  return printing('stderr').isTTY === true && !args.given.has('quiet') ? startStageLines() : startLines(args);
}

function startLines({ given }: Arguments): LineReporting {
  const detail = given.has('quiet') ? 'problems' : 'all';
  let last = '';
  let underway: Underway | null = null;
  const present = () => [last, underway === null ? null : lastEvent(underway)].filter(Boolean).join('; ');
  const progress = startProgress(printing('stderr'), detail, () => `tollgate: ${present()}`);
  const say = (sentence: string) => {
    last = sentence;
    if (detail === 'all') progress.print(`tollgate: ${sentence}`);
  };
  const watch = (now: Underway | null) => {
    underway = now;
  };
  return { progress, reporter: { say, watch }, present };
}

const SILENCE_MS = 30_000;

const SECTION = 'tollgate_run';

export function startCiReporting(args: Arguments, system: CiSystem): StageLines {
  const reporting = startLines(args);
  if (args.given.has('quiet')) return reporting;
  const marks = LOG_MARKS[system];
  const mark = (text: string) => void (text !== '' && printing('stderr').write(text));
  const seconds = () => Math.floor(Date.now() / 1000);
  // The caller chooses this word, so it must not be read as a separate line.
  mark(marks.open(SECTION, marks.neutralise(`tollgate run ${printable(args.words[0]!, 100)}`), seconds()));
  const silence = startSilence(SILENCE_MS, (ms) =>
    reporting.progress.print(marks.neutralise(silenceLine(reporting.present(), ms))),
  );
  return {
    ...reporting,
    progress: {
      ...reporting.progress,
      stop() {
        silence.stop();
        reporting.progress.stop();
        mark(marks.close(SECTION, seconds()));
      },
    },
    reporter: {
      watch: reporting.reporter.watch,
      say(sentence) {
        silence.heard();
        reporting.reporter.say(marks.neutralise(oneLine(sentence)));
      },
    },
  };
}

export const silenceLine = (present: string, ms: number): string =>
  `tollgate: ${printable(present)} (nothing new for ${Math.round(ms / 1000)} s)`;

/** @param tell is called after each `everyMs` without news, counted from the start or from the last call of `heard`. */
export function startSilence(everyMs: number, tell: (silentMs: number) => void): { heard(): void; stop(): void } {
  let since = performance.now();
  const timer = setInterval(() => tell(performance.now() - since), everyMs);
  return {
    heard() {
      since = performance.now();
      timer.refresh();
    },
    stop: () => clearInterval(timer),
  };
}

interface StageLines {
  progress: Progress;
  reporter: Pick<RunContext, 'say' | 'watch' | 'ended'>;
}

function startStageLines(): StageLines {
  const stream = printing('stderr');
  const sheet = sheetFor(stream, process.env);
  let message = '';
  const shown = new Set<string>();
  let underway: Underway | null = null;
  let since = performance.now();
  const present = (room: number): string => {
    const elapsedMs = performance.now() - since;
    if (underway !== null) return callLine(underway, elapsedMs, room);
    const time = ` (${spell(elapsedMs)})`;
    return `${cutLine(visible(message), room - time.length)}${time}`;
  };
  const progress = startProgress(stream, 'all', present, since, () => '');
  return {
    progress,
    reporter: {
      say(sentence, what) {
        message = sentence;
        if (underway === null) since = performance.now();
        if (what === 'step' || (what === 'once' && shown.has(sentence))) return;
        shown.add(sentence);
        progress.print(`· ${sentence}`);
      },
      watch(now) {
        if (now === null && underway !== null) message = `${underway.stage}: the call has ended; its answer is checked`;
        underway = now;
        since = performance.now();
      },
      ended: (stage) => progress.printPainted(stageLine(stage, sheet)),
    },
  };
}

/** What the CLI does may be long, and is cut; the figures after it are not. */
export function callLine(call: Underway, elapsedMs: number, room: number): string {
  const time = `${spell(elapsedMs)} of ${spell(call.timeoutMs)}`;
  const figures = ` (${[time, ...call.paid].join('; ')})`;
  const head = `${call.stage}: ${call.tool} `;
  const action = visible(lastEvent(call) ?? 'starts');
  return `${head}${cutLine(action, Math.max(LEAST_ACTION, room - lengthOf(head) - lengthOf(figures)))}${figures}`;
}

const LEAST_ACTION = 12;

const MARKS: Record<string, [mark: string, paint: Paint]> = {
  done: ['✓', 'green'],
  done_earlier: ['✓', 'dim'],
  failed: ['✗', 'red'],
  failed_earlier: ['✗', 'red'],
  interrupted: ['■', 'yellow'],
  interrupted_earlier: ['■', 'yellow'],
};

/** `✓ codex_impl  done  codex  1 min 5 s  1 call  9,450 tokens`. Figures of an earlier run are omitted. */
export function stageLine(ended: FinishedStage, { ink }: Sheet): string {
  const { stage, state, tool, calls, duration_ms: ms, tokens } = ended;
  const [mark, paint] = MARKS[state] ?? ['○', 'dim'];
  const words = state === 'pending' ? 'not started' : state.replace('_', ' ');
  const why = state === 'failed' && ended.class !== null ? `: ${ended.class} (${ended.reason})` : '';
  const figures = [
    tool,
    ms === null ? null : tookWords(ms),
    counted(calls, 'call'),
    tokens === null ? null : `${figure(tokens)} tokens`,
  ].filter((text) => text !== null);
  const head = coloursOf(ink)[paint](`${mark} ${visible(stage)}  ${words}${visible(why)}`);
  return calls === 0 ? head : `${head}  ${figures.join('  ')}`;
}

export type CiSystem = 'github' | 'gitlab' | 'other';

/** @returns null outside of CI, or if the command must not act as in CI. */
export function ciSystem(given: ReadonlySet<string>, environment: NodeJS.ProcessEnv): CiSystem | null {
  if (given.has('no-ci')) return null;
  if (environment.GITHUB_ACTIONS === 'true') return 'github';
  if (environment.GITLAB_CI) return 'gitlab';
  return given.has('ci') ? 'other' : null;
}

interface LogMarks {
  open(name: string, title: string, atSeconds: number): string;
  close(name: string, atSeconds: number): string;
  /**
   * Returns text of others without anything that would be read as a command. The service reads stdout and stderr in parallel, so
   * commands cannot be switched off around the text.
   */
  neutralise(text: string): string;
}

/** The service skips invisible characters before `::`, and finds `##[` anywhere in a line. */
const COMMAND_LINE = /^([^\r\n\p{L}\p{N}\p{P}\p{S}]*):(?=:)/gmu;
const OLD_COMMAND = /##(?=\[)/g;

const ESCAPE = '\u001b[0K';

export const LOG_MARKS = {
  github: {
    open: (_, title) => `::group::${title}\n`,
    close: () => '::endgroup::\n',
    neutralise: (text) => text.replace(COMMAND_LINE, '$1: ').replace(OLD_COMMAND, '## '),
  },
  gitlab: {
    open: (name, title, at) => `${ESCAPE}section_start:${at}:${name}[collapsed=true]\r${ESCAPE}${title}\n`,
    close: (name, at) => `${ESCAPE}section_end:${at}:${name}\r${ESCAPE}\n`,
    neutralise: (text) => text,
  },
  other: { open: () => '', close: () => '', neutralise: (text) => text },
} as const satisfies Record<CiSystem, LogMarks>;
