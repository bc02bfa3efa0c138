// The conversation of a distillation as it is sent: it grows by accepted answers only, and is never read from disk again.

import type { TurnContent } from '../../../policies/distill/service.ts';
import {
  type FileReference,
  filePart,
  firstContent,
  NEXT_CONTENT,
  withFile,
} from '../../../policies/distill/turn-contents.ts';

interface HistoryEntry {
  section: number;
  request: TurnContent;
  answer: TurnContent;
  text: string;
}

export interface BookHistory {
  /** What goes before a section, and the request for it. */
  before(section: number): { contents: TurnContent[]; request: TurnContent; lastText: string | null; isNext: boolean };
  /** In its place; that of a section which is there already is replaced. */
  add(entry: HistoryEntry): void;
  remove(section: number): void;
  /** The file has another reference from now on, in every earlier part too. */
  point(file: FileReference): void;
  texts(): string[];
}

/** @param file null where none is uploaded yet: then nothing is asked either. */
export function openHistory(entries: readonly HistoryEntry[], file: FileReference | null): BookHistory {
  let kept = [...entries].sort((a, b) => a.section - b.section);
  let reference = file;
  let flat: TurnContent[] = [];
  const rebuild = () => {
    flat = flattened(kept, reference);
  };
  rebuild();
  return {
    before(section) {
      const last = kept.at(-1);
      const isNext = last === undefined || last.section < section;
      const earlier = isNext ? kept : kept.filter((one) => one.section < section);
      const request =
        earlier.length === 0 ? firstContent(reference === null ? [] : [filePart(reference)]) : NEXT_CONTENT;
      const contents = isNext ? flat.slice() : flattened(earlier, reference);
      contents.push(request);
      return { contents, request, lastText: earlier.at(-1)?.text ?? null, isNext };
    },
    add(entry) {
      const last = kept.at(-1);
      if (last === undefined || last.section < entry.section) {
        kept.push(entry);
        flat.push(...flattened([entry], reference, kept.length === 1));
        return;
      }
      kept = [...kept.filter((one) => one.section !== entry.section), entry].sort((a, b) => a.section - b.section);
      rebuild();
    },
    remove(section) {
      kept = kept.filter((one) => one.section !== section);
      rebuild();
    },
    point(fresh) {
      reference = fresh;
      rebuild();
    },
    texts: () => kept.map(({ text }) => text),
  };
}

/** The book goes with whatever comes first, and with nothing else. */
function flattened(entries: readonly HistoryEntry[], file: FileReference | null, isFirst = true): TurnContent[] {
  const contents = entries.flatMap(({ request, answer }, i) => [
    isFirst && i === 0 && file !== null ? firstOf(request, file) : request,
    answer,
  ]);
  return file === null ? contents : withFile(contents, file);
}

const firstOf = (request: TurnContent, file: FileReference): TurnContent =>
  request.parts.length > 1 ? request : firstContent([filePart(file)]);
