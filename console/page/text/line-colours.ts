// Colours the lines of a diff while the browser is idle, for a limited time in all; until then they are shown in one colour.

import { loadLate } from '../live/requests.ts';
import { useEffect, useSignal } from '../reactive.ts';
import type { CodePiece, lineReader } from './code-colours.ts';
import type { DiffFile } from './diff-files.ts';

type Coloured = ReadonlyMap<DiffFile['lines'][number], CodePiece[]>;

/** Of the processor: five thousand lines take 0.1 to 0.3 s. */
const MOST_MS = 1_500;

export function useColours(files: readonly DiffFile[]): Coloured {
  const coloured = useSignal<Coloured>(new Map());
  useEffect(() => {
    const stop = new AbortController();
    coloured.value = new Map();
    void loadLate<typeof lineReader>('colours.js', 'lineReader').then((reader) => {
      // Without its colours a diff says the same.
      if (typeof reader === 'function') colour(files, reader, stop.signal, (lines) => (coloured.value = lines));
    });
    return () => stop.abort();
  }, [files]);
  return coloured.value;
}

function colour(
  files: readonly DiffFile[],
  reader: typeof lineReader,
  stop: AbortSignal,
  show: (lines: Coloured) => void,
): void {
  const lines = colouredLines(files, reader);
  const all = new Map<DiffFile['lines'][number], CodePiece[]>();
  let spent = 0;
  const work = (hasTime: () => boolean) => {
    if (stop.aborted) return;
    const begin = performance.now();
    let next = lines.next();
    for (; next.value; next = lines.next()) {
      all.set(...next.value);
      if (!hasTime()) break;
    }
    spent += performance.now() - begin;
    show(new Map(all));
    if (!next.done && spent < MOST_MS) whenIdle(work);
  };
  whenIdle(work);
}

/** Each side of a file is read by itself, since a removed line can begin a comment. A hunk begins both again. */
function* colouredLines(files: readonly DiffFile[], reader: typeof lineReader) {
  for (const { path, lines } of files) {
    let [old, now] = [reader(path), reader(path)];
    if (old === null || now === null) continue;
    for (const line of lines) {
      const text = line.text.replace(/\r$/, '');
      if (line.kind === 'place') [old, now] = [reader(path)!, reader(path)!];
      if (line.kind === 'same') old(text);
      if (line.kind === 'removed') yield [line, old(text)] as const;
      if (line.kind === 'same' || line.kind === 'added') yield [line, now(text)] as const;
    }
  }
}

/** Safari has no idle callback. */
function whenIdle(work: (hasTime: () => boolean) => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback((idle) => work(() => idle.timeRemaining() > 2));
  else {
    setTimeout(() => {
      const end = performance.now() + 8;
      work(() => performance.now() < end);
    });
  }
}
