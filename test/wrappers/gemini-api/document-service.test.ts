// A refusal of the service is an error that keeps all that is known of it.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServiceRefusal, TurnUsage } from '../../../policies/distill/service.ts';
import {
  type BookToUpload,
  type DocumentService,
  ServiceFailure,
  type TurnToAsk,
} from '../../../wrappers/gemini-api/document-service.ts';

const refusal: ServiceRefusal = { message: 'busy', status: 503, retryAfterMs: 1000, body: '{}', offline: false };
const usage: TurnUsage = { input: 1, output: 1, thoughts: 0, cached: 0 };

const service: DocumentService = {
  upload: ({ mimeType }: BookToUpload) =>
    Promise.resolve({ name: 'f', uri: 'u', mimeType, state: 'ACTIVE', expiresAt: null, error: null }),
  look: () => Promise.reject(new ServiceFailure(refusal)),
  ask: ({ contents }: TurnToAsk) =>
    Promise.resolve({
      content: contents[0]!,
      text: '',
      finishReason: null,
      blockReason: null,
      usage,
      modelVersion: null,
    }),
};

test('a refusal keeps its status, its wait, its words, and whether anybody was there', async () => {
  const failure = await service.look('f', new AbortController().signal).catch((error: unknown) => error);
  assert.instance(failure, ServiceFailure);
  const { message, status, retryAfterMs, body, offline } = failure as ServiceFailure;
  assert.equal({ message, status, retryAfterMs, body, offline }, refusal);
});

test.run();
