// A distilled book as it is exported: what it was made from, its sections in order, and the trace where it was asked for.

export interface DistilledBook {
  /** `name`: of its file, as the person gave it. */
  book: { name: string; sha256: string };
  /** As it was asked for; each section says which version answered. */
  model: string;
  /** The name of the prompt's file. */
  prompt: string;
  /** ISO times; `finishedAt` is null while the end of the book has not been reached. */
  startedAt: string;
  finishedAt: string | null;
  sections: readonly BookSection[];
  /** The lines of `trace.jsonl`, redacted, as they stand there; null where nobody asked for them. */
  trace: readonly string[] | null;
}

export interface BookSection {
  /** Its own, as all commands name it: where one was deleted there is a gap. */
  number: number;
  /** Of one line. */
  title: string;
  /** Markdown, as the model wrote it, without the end marker. Never obeyed: neither its links nor its images are followed. */
  text: string;
  modelVersion: string | null;
  tokens: number;
  /** When it was accepted. */
  at: string;
}
