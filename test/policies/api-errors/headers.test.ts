// What the CLIs leave of a response's headers, each in its own words.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { headersTold } from '../../../policies/api-errors/failures.ts';

test('copilot tells two in its event', () =>
  assert.equal(
    headersTold(
      [
        '{"cut":',
        null,
        { type: 'model.call_failure', data: { apiCallId: 'req-1', providerCallId: 'GH-1', statusCode: 400 } },
        { type: 'session.error', data: { providerCallId: 'GH-1' } },
      ],
      [],
    ),
    { 'x-request-id': 'req-1', 'x-github-request-id': 'GH-1' },
  ));

test('codex writes two into the text of a status that it did not expect', () =>
  assert.equal(
    headersTold(
      [{ type: 'turn.failed', error: {} }],
      ['unexpected status 403 Forbidden: no, url: http://h/v1/responses, cf-ray: ray-1, request id: req-1'],
    ),
    { 'x-request-id': 'req-1', 'cf-ray': 'ray-1' },
  ));

test('gemini tells none', () => assert.is(headersTold([{ type: 'result', status: 'error' }], ['ApiError: {}']), null));

test.run();
