// Who is asked in a distilled round: the service of the API on the loopback; a CLI stands in a file of its own.

import { type DocumentApi, startDocumentApi } from '../../../test/rig/document-api.ts';
import { sectionText } from '../../../test/rig/model-api/documents/answers.ts';
import { type DistillPlan, misfortunes } from './plan.ts';

/** One turn that was asked for, and what became of it. */
export interface TurnSeen {
  n: number;
  section: number;
  /** It was answered to its end, and as it should be. */
  whole: boolean;
}

export interface DistillSide {
  /** Of the command that begins, and of each one that goes on. */
  begins: readonly string[];
  goesOn: readonly string[];
  env: Record<string, string>;
  turns(): TurnSeen[];
  /** Turns that were worked for. */
  paid(): number;
  faults(): number;
  /** What was uploaded is known no more. */
  expire(): void;
  /** All that was seen, for whoever reads a bad round. */
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
