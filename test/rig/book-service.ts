// Plays a service that holds a book, in the test's process: answers section by section, and fails as a test requests.

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { distill } from '../../loops/distill/distill.ts';
import type { DistillEvent, DistillRun, UploadEnd } from '../../loops/distill/distill-run.ts';
import { type DistillView, openDistill, viewed } from '../../loops/distill/open-run.ts';
import type { DistillAim, DistilledEnd, DistillRequest } from '../../loops/distill/request.ts';
import type { ServiceRefusal, TurnAnswer, TurnContent, UploadedBook } from '../../policies/distill/service.ts';
import { type DocumentService, ServiceFailure, type TurnToAsk } from '../../wrappers/gemini-api/document-service.ts';
import { temporaryFolder } from './temporary-folder.ts';

export type Misfortune =
  | Partial<ServiceRefusal>
  | Partial<TurnAnswer>
  | ((turn: TurnToAsk) => Promise<TurnAnswer> | TurnAnswer);

export interface FakeService extends DocumentService {
  uploads: number;
  /** The content of each request at the time it was sent. */
  asked: TurnContent[][];
  turns: TurnToAsk[];
  /** The number of complete answers. */
  paid: number;
}

interface FakePlan {
  /** The number of sections of the book. */
  sections: number;
  /** What happens to a request instead of its answer, by its number from 1. */
  misfortune?(request: number): Misfortune | null;
  /** The result of the n-th upload, from 1. */
  uploaded?(upload: number): Partial<UploadedBook>;
  modelVersion?(request: number): string;
  remember?: false;
}

/** The text of a section: different from all others, and long enough. */
export const sectionText = (section: number): string => {
  const words = createHash('sha512').update(String(section)).digest('hex');
  return `## Section ${section}\n\n${words} ${createHash('sha512').update(words).digest('hex')}`;
};

/** Like a model, it derives the requested section from the number of answers in the history. */
export function fakeService(plan: FakePlan): FakeService {
  let requests = 0;
  const fake: FakeService = {
    uploads: 0,
    asked: [],
    turns: [],
    paid: 0,
    async upload({ mimeType }, { sent }) {
      fake.uploads += 1;
      sent(1);
      const name = `files/${fake.uploads}`;
      const uri = `https://service/v1beta/${name}`;
      return { name, uri, mimeType, state: 'ACTIVE', expiresAt: null, error: null, ...plan.uploaded?.(fake.uploads) };
    },
    look: (name) => Promise.reject(new Error(`nobody asks for ${name}`)),
    async ask(turn) {
      requests += 1;
      if (plan.remember !== false) {
        fake.asked.push([...turn.contents]);
        fake.turns.push(turn);
      }
      const bad = plan.misfortune?.(requests) ?? null;
      const usual = usualAnswer(turn, plan, requests);
      if (bad === null || typeof bad === 'function' || 'text' in bad || 'finishReason' in bad) {
        const answer = typeof bad === 'function' ? await bad(turn) : { ...usual, ...bad };
        fake.paid += 1;
        return 'text' in (bad ?? {})
          ? { ...answer, content: { role: 'model', parts: [{ text: answer.text }] } }
          : answer;
      }
      throw new ServiceFailure({
        message: 'no',
        status: null,
        retryAfterMs: null,
        body: '',
        offline: false,
        ...bad,
      } as ServiceRefusal);
    },
  };
  return fake;
}

export function usualAnswer({ contents }: Pick<TurnToAsk, 'contents'>, plan: FakePlan, request = 1): TurnAnswer {
  const section = (contents.length + 1) / 2;
  const text = `${sectionText(section)}${section >= plan.sections ? '\n<end_of_book>' : ''}`;
  return {
    content: { role: 'model', parts: [{ text, thoughtSignature: `signed-${section}` }] },
    text,
    finishReason: 'STOP',
    blockReason: null,
    usage: { input: 1000, output: 100, thoughts: 10, cached: 0 },
    modelVersion: plan.modelVersion?.(request) ?? 'gemini-2.5-pro',
  };
}

export interface DistillRig {
  folder: string;
  environment: NodeJS.ProcessEnv;
  /** All events of all runs. */
  events: DistillEvent[];
  /** The requested waits in milliseconds, in order; the test does not really wait. */
  waits: number[];
  now: Date;
  stop: AbortController;
  halt: AbortController;
  run(
    service: DocumentService,
    more?: Partial<DistillAim> | null,
    change?: (request: DistillRequest) => void,
  ): Promise<DistilledEnd>;
  view(): Promise<DistillView>;
}

/** Creates a project with a book and a prompt, which is removed when the test's process ends. */
export function distillRig(): DistillRig {
  const folder = temporaryFolder('distill-');
  writeFileSync(path.join(folder, 'republic.txt'), 'The Republic, by Plato.\n');
  writeFileSync(path.join(folder, 'prompt.md'), 'Distil this book, section by section.\n');
  const rig: DistillRig = {
    folder,
    environment: { TOLLGATE_STATE: path.join(folder, '.tmp'), HOME: folder },
    events: [],
    waits: [],
    now: new Date('2026-11-23T12:00:00Z'),
    stop: new AbortController(),
    halt: new AbortController(),
    run(service, aim = {}, change = () => {}) {
      const request: DistillRequest = {
        aim: {
          ...(aim !== null && aim.how === 'resume'
            ? { name: 'republic', held: 'drop' }
            : { how: 'book', book: 'republic.txt', promptFile: 'prompt.md', name: null }),
          ...aim,
        } as DistillAim,
        said: { model: null, temperature: null, endMarker: null, noCheck: null, out: null, maxCalls: null },
        terms: {
          budgets: { maxSeconds: null, maxTokens: null, maxUsd: null },
          autoWaitMs: 60_000,
          turnMs: 60_000,
        },
        context: {
          cwd: folder,
          environment: rig.environment,
          clock: () => rig.now,
          random: () => 0.5,
          pause: async (ms) => void rig.waits.push(ms),
          tell: (event) => void rig.events.push(event),
        },
        means: {
          service: async () => service,
          upload: uploadOnce,
        },
        stop: rig.stop.signal,
        halt: rig.halt.signal,
      };
      change(request);
      return distill(request);
    },
    async view() {
      const opened = await openDistill('republic', folder, rig.environment, () => rig.now);
      if (opened.how === 'invalid') throw new Error(opened.message);
      return viewed(opened.open);
    },
  };
  return rig;
}

/** Uploads without a retry. */
async function uploadOnce(book: DistillRun['book'], { service, control }: DistillRun): Promise<UploadEnd> {
  try {
    const file = await service.upload(book, { signal: control.waiting, sent: () => {} });
    if (file.state === 'ACTIVE') return { how: 'ready', file };
    return { how: 'failed', reason: 'processing', evidence: file.error ?? 'it was not processed' };
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    return { how: 'failed', reason: 'error', evidence: error.message };
  }
}
