// Prepares a case whose signature is measured: the text that is signed, and the new signature of a changed text.

import path from 'node:path';
import { signatureInput } from '../../loops/call/classify.ts';
import { evidenceOf, examine } from '../../loops/report/triage.ts';
import { createErrorLines } from '../../policies/signature/error-lines.ts';
import { type Signature, sign } from '../../policies/signature/sign.ts';
import type { ScanContext } from '../../policies/signature/token-class.ts';
import type { LabelledCase } from '../../policies/verdict/labelled-case.ts';
import { readCorpus } from '../../state/corpus.ts';

export type Subject = ReturnType<typeof subjectOf>;

export function subjectOf(labelled: LabelledCase, part = '') {
  const { evidence, verdict } = examine(labelled.captured, { now: labelled.at, timeZone: 'UTC' });
  const input = signatureInput(evidence, verdict);
  const signature = verdict.class === null ? null : sign(input);
  const of = signature === null || signature.source === 'detail' ? 'nothing' : signature.source;
  const text = { stderr: labelled.captured.stderr, event: input.eventText ?? '', nothing: '' }[of];
  const signed = of === 'event' ? linesOf(text) : of === 'stderr' ? [...input.errorLines] : [];
  return {
    ...{ labelled, verdict, input },
    /** The writer of the case: names of failures are valid only for their writer. */
    part,
    /** null for a success. */
    signature,
    /** The source of the signature: `stderr`, the text of the failure event, or `nothing`: the texts contain nothing. */
    of,
    /** The text of that source; '' if nothing. */
    text,
    /** The lines of it that are signed. */
    signed,
  };
}

/** The signature with another text instead of it, and with other words on stderr. */
export interface Changed {
  text?: string | undefined;
  stderr?: string | undefined;
  context?: ScanContext | undefined;
}

export function signChanged(subject: Subject, { text, stderr, context = {} }: Changed): Signature {
  const { labelled, of, verdict } = subject;
  const errors = of === 'stderr' ? (text ?? stderr) : stderr;
  const input =
    errors === undefined
      ? subject.input
      : signatureInput(evidenceOf({ ...labelled.captured, stderr: errors }).evidence, verdict);
  const eventText = of === 'event' && text !== undefined ? text : input.eventText;
  return sign({ ...input, eventText, volatile: context });
}

function linesOf(text: string): string[] {
  const selected = createErrorLines();
  for (const line of text.split('\n')) selected.push(line);
  const lines = selected.lines();
  return lines.length > 0 ? lines : selected.remarks();
}

/** Folders of the corpus whose name begins with `held` are the held set; all others are open. Throws if it is malformed. */
export function readSets(corpus: string) {
  const read = readCorpus(corpus, process.cwd());
  if (read.how === 'invalid') throw new Error(read.message);
  const subjects = read.cases.map((labelled) => subjectOf(labelled, partOf(path.relative(corpus, labelled.file))));
  const isHeld = ({ part }: Subject) => part.startsWith('held');
  return { open: subjects.filter((one) => !isHeld(one)), held: subjects.filter(isHeld) };
}

/** Each folder has its own writer; the recordings and the wordings beside them have another. */
function partOf(file: string): string {
  const [folder = ''] = file.split(path.sep);
  return folder.endsWith('.jsonl') || folder === 'wordings' ? 'recorded' : folder;
}
