// Holds the conversation of a distillation as it is sent; only accepted answers extend it, and it is read from disk only once.

import type { TurnContent } from '../../policies/distill/service.ts';
import {
  type FileReference,
  filePart,
  firstContent,
  NEXT_CONTENT,
  withFile,
} from '../../policies/distill/turn-contents.ts';

interface HistoryEntry {
  section: number;
  request: TurnContent;
  answer: TurnContent;
  text: string;
}

export interface BookHistory {
  /** Returns the conversation before a section, and the request for the section. */
  before(section: number): { contents: TurnContent[]; request: TurnContent; lastText: string | null; isNext: boolean };
  /** Adds a section at its position; replaces an existing section. */
  add(entry: HistoryEntry): void;
  remove(section: number): void;
  /** Sets another reference of the file, also in every earlier part. */
  point(file: FileReference): void;
  texts(): string[];
}

/** @param file null if none is uploaded yet; then no request is made either. */
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

/** The book is attached to the first request, and to no other. */
function flattened(entries: readonly HistoryEntry[], file: FileReference | null, isFirst = true): TurnContent[] {
  const contents = entries.flatMap(({ request, answer }, i) => [
    isFirst && i === 0 && file !== null ? firstOf(request, file) : request,
    answer,
  ]);
  return file === null ? contents : withFile(contents, file);
}

const firstOf = (request: TurnContent, file: FileReference): TurnContent =>
  request.parts.length > 1 ? request : firstContent([filePart(file)]);
