// Reports on stderr what a run does; in a CI log in a collapsed section, with a line after each 30 seconds of silence.

import { lastEvent, type Underway } from '../../loops/task/last-event.ts';
import type { RunContext } from '../../loops/task/run-context.ts';
import { oneLine, visible } from '../../policies/text/display.ts';
import type { Arguments } from '../command-line.ts';
import { printing } from '../printing.ts';
import { type Progress, startProgress } from '../progress-line.ts';
import { type CiSystem, LOG_MARKS } from './ci/system.ts';

interface RunReporting {
  progress: Progress;
  reporter: Pick<RunContext, 'say' | 'watch'>;
  /** The last message, and the last event of the CLI. */
  present(): string;
}

/** Prints lines that remain. On a terminal, one more line moves: the last message, and the last event of the CLI. */
export function startReporting({ given }: Arguments): RunReporting {
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

export function startCiReporting(args: Arguments, system: CiSystem): RunReporting {
  const reporting = startReporting(args);
  if (args.given.has('quiet')) return reporting;
  const marks = LOG_MARKS[system];
  const mark = (text: string) => void (text !== '' && printing('stderr').write(text));
  const seconds = () => Math.floor(Date.now() / 1000);
  // The caller chooses this word, so it must not be read as a separate line.
  mark(marks.open(SECTION, marks.neutralise(`tollgate run ${oneLine(visible(args.words[0]!), 100)}`), seconds()));
  const silence = startSilence(SILENCE_MS, (ms) =>
    reporting.progress.print(marks.neutralise(silenceLine(reporting.present(), ms))),
  );
  return {
    ...reporting,
    progress: {
      print: reporting.progress.print,
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
  `tollgate: ${oneLine(visible(present))} (nothing new for ${Math.round(ms / 1000)} s)`;

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
