// Defines a distilled book for export: its source, its sections in order, and the trace if it was requested.

export interface DistilledBook {
  /** `name`: the file name, as the user gave it. */
  book: { name: string; sha256: string };
  /** The requested model; each section names the version that answered. */
  model: string;
  /** The name of the prompt's file. */
  prompt: string;
  /** ISO times; `finishedAt` is null until the end of the book is reached. */
  startedAt: string;
  finishedAt: string | null;
  sections: readonly BookSection[];
  /** The lines of `trace.jsonl`, redacted; null if they were not requested. */
  trace: readonly string[] | null;
}

export interface BookSection {
  /** The section's number in all commands. A deleted section leaves a gap. */
  number: number;
  /** One line. */
  title: string;
  /** Markdown, as the model wrote it, without the end marker. It is untrusted: neither its links nor its images are followed. */
  text: string;
  modelVersion: string | null;
  tokens: number;
  /** When the section was accepted. */
  at: string;
}
