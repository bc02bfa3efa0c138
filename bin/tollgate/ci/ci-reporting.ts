// Reports what a run does in a CI log: in a collapsed section, with a line after each 30 seconds of silence.

import { oneLine, visible } from '../../../policies/text/display.ts';
import type { Arguments } from '../../command-line.ts';
import { printing } from '../../printing.ts';
import { type RunReporting, startReporting } from '../reporting.ts';
import { type CiSystem, LOG_MARKS } from './system.ts';

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
