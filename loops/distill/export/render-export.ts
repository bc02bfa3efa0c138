// Renders the bytes of an export in a separate process, because the layout of a model's text may take any time and memory.

import { fileURLToPath } from 'node:url';
import type { DistilledBook, ExportFormat } from '../../../policies/distill/export/distilled-book.ts';
import { asMarkdown } from '../../../policies/distill/export/markdown.ts';
import { asPlainText } from '../../../policies/distill/export/plain-text.ts';
import { answerFromProcess, runInProcess } from '../../limited-process.ts';
import type { Rendered } from './render-pdf.ts';

export interface ExportWork {
  distilled: DistilledBook;
  format: ExportFormat;
  /** Font files, for the PDF. */
  fonts: readonly string[];
}

export async function renderExport({ distilled, format, fonts }: ExportWork): Promise<Rendered> {
  if (format === 'pdf') return (await import('./render-pdf.ts')).renderPdf(distilled, fonts);
  const text = format === 'md' ? asMarkdown(distilled) : asPlainText(distilled);
  return { how: 'done', bytes: Buffer.from(text), notes: [] };
}

/** A PDF of a thousand pages takes a few seconds. */
const EXPORT_WALL_MS = 120_000;

export async function renderInProcess(work: ExportWork, stop: AbortSignal, wallMs = EXPORT_WALL_MS): Promise<Rendered> {
  const file = fileURLToPath(import.meta.url);
  const end = await runInProcess<Rendered>({ file, given: work, wallMs, stop });
  if (end.how === 'done') return end.value;
  const why = end.how === 'overran' ? end.why : 'it was stopped';
  return { how: 'refused', why: `the export was ended: ${why}${WAYS[work.format]}` };
}

const WAYS: Record<ExportFormat, string> = {
  pdf: '; export it as md or txt, or delete the section that is too large',
  txt: '; export it as md, or delete the section that is too large',
  md: '',
};

export const inProcess = (): Promise<void> => answerFromProcess(renderExport);
