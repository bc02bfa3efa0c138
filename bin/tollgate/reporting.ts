// Reports on stderr what a run does; in a CI log in a collapsed section, with a line after each 30 seconds of silence.

import { lastEvent, type Underway } from '../../loops/task/last-event.ts';
import { oneLine, visible } from '../../policies/text/display.ts';
import type { Arguments } from '../command-line.ts';
import { printing } from '../printing.ts';
import { startProgress } from '../progress-line.ts';
import { type CiSystem, LOG_MARKS } from './ci/system.ts';
import { type StageLines, startStageLines } from './stage-lines.ts';

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
  mark(marks.open(SECTION, marks.neutralise(`tollgate run ${oneLine(visible(args.words[0]!), 100)}`), seconds()));
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
