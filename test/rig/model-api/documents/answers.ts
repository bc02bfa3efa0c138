// Generates the answers about a book by section: the same for the same history, and no two sections alike.

import { writeLongText } from '../long-text.ts';
import type { Fault } from './faults.ts';

export interface BookPlan {
  /** null: it never ends. */
  sections: number | null;
  endMarker: string;
  modelVersion: string;
  /** The length of each section; at least the 200 characters below which an answer counts as short. */
  characters: number;
}

export const sectionText = (plan: BookPlan, number: number): string => {
  const title = `## Section ${number}: ${writeLongText(30 + number)
    .slice(2, 20)
    .replace(/\W/g, ' ')}`;
  const text = `${title}\n\n${writeLongText(plan.characters + number)}\n`;
  return number === plan.sections ? `${text}\n${plan.endMarker}` : text;
};

/** The chunks of a stream: a thought, the text in two chunks, and a signature that must be sent back. */
export function chunksOf(plan: BookPlan, number: number, id: string, fault: Fault | null): object[] {
  const changed: Partial<Extract<Fault, { how: 'answers' }>> = fault?.how === 'answers' ? fault : {};
  const modelVersion = changed.modelVersion ?? plan.modelVersion;
  const counted = { promptTokenCount: 1000 + number, cachedContentTokenCount: 900 };
  if (changed.blocked !== undefined)
    return [{ promptFeedback: { blockReason: changed.blocked }, usageMetadata: counted, modelVersion, responseId: id }];
  const own = changed.text === 'again' ? sectionText(plan, Math.max(1, number - 1)) : changed.text;
  const text = `${changed.before ?? ''}${own ?? sectionText(plan, number)}`;
  const usageMetadata = { ...counted, candidatesTokenCount: Math.ceil(text.length / 4), thoughtsTokenCount: 5 };
  const half = Math.ceil(text.length / 2);
  const last = { text: text.slice(half), thoughtSignature: signatureOf(number) };
  const piece = (parts: object[], finishReason?: string) => ({
    candidates: [
      {
        ...(parts.length > 0 ? { content: { role: 'model', parts } } : {}),
        ...(finishReason ? { finishReason } : {}),
        index: 0,
      },
    ],
    usageMetadata,
    modelVersion,
    responseId: id,
  });
  if (text === '') return [piece([], changed.finishReason ?? 'STOP')];
  return [
    piece([{ text: `What is in section ${number}?`, thought: true }]),
    piece([{ text: text.slice(0, half / 2) }]),
    piece([{ text: text.slice(half / 2, half) }]),
    piece([last], fault?.how === 'unfinished' ? undefined : (changed.finishReason ?? 'STOP')),
  ];
}

export const signatureOf = (number: number): string => Buffer.from(`signature of ${number}`).toString('base64');

/** Combines all chunks into one, as `generateContent` answers. */
export function wholeOf(chunks: object[]): object {
  type Chunk = { candidates?: { content?: { parts: object[] } }[] };
  const parts = (chunks as Chunk[]).flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
  const last = chunks.at(-1) as Chunk;
  const [candidate] = last.candidates ?? [];
  return candidate === undefined
    ? last
    : { ...last, candidates: [{ ...candidate, content: { role: 'model', parts } }] };
}
