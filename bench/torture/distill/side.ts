// What answers in a distilled round: the service of the API on the loopback; a CLI has a file of its own.

import { type DocumentApi, startDocumentApi } from '../../../test/rig/document-api.ts';
import { sectionText } from '../../../test/rig/model-api/documents/answers.ts';
import { type DistillPlan, misfortunes } from './plan.ts';

/** One turn, and whether it was answered. */
export interface TurnSeen {
  n: number;
  section: number;
  /** The answer was complete and correct. */
  whole: boolean;
}

export interface DistillSide {
  /** The flags of the command that begins, and of each one that resumes. */
  begins: readonly string[];
  goesOn: readonly string[];
  env: Record<string, string>;
  turns(): TurnSeen[];
  /** Turns that the service worked on. */
  paid(): number;
  faults(): number;
  /** The service forgets the uploads. */
  expire(): void;
  /** All that was seen, for a person who reads a bad round. */
  record(): object;
  close(): Promise<void>;
}

export const BOOK = { endMarker: '<end_of_book>', modelVersion: 'gemini-2.5-pro', characters: 400 };

export const textOf = (number: number, sections: number): string =>
  sectionText({ ...BOOK, sections }, number)
    .replace(BOOK.endMarker, '')
    .trim();

export async function apiSide(seed: number, plan: DistillPlan): Promise<DistillSide> {
  const faultOf = misfortunes(seed, plan.n);
  const api: DocumentApi = await startDocumentApi({
    ...{ ...BOOK, sections: plan.sections, workMs: plan.workMs, looks: -1 },
    choose: ({ kind }) => faultOf(kind),
  });
  const turns = () =>
    api.requests().flatMap(({ n, turn }) => (turn === null ? [] : [{ n, section: turn.section, whole: turn.whole }]));
  return {
    begins: ['--model', 'gemini-2.5-pro', '--auto-wait', '5s'],
    goesOn: ['--auto-wait', '5s'],
    env: { GEMINI_API_KEY: 'test-key', GOOGLE_GEMINI_BASE_URL: api.url },
    turns,
    paid: () => api.paid().length,
    faults: () => api.requests().filter(({ fault }) => fault !== null).length,
    expire: () => api.files.expire(),
    record: () =>
      api.requests().map(({ turn, ...request }) => ({ ...request, section: turn?.section, whole: turn?.whole })),
    close: () => api.close(),
  };
}
