// Defines the shape of `notify` in tollgate.yaml: what receives the end of a run. Gets zod as an argument.

import type * as z from 'zod';
import { addressMistake, NOTIFY_EVENTS, NOTIFY_FORMATS, NOTIFY_TIMEOUT } from '../../policies/manifest/notifier.ts';

export function notifySchema({ array, enum: choice, number, strictObject, string }: typeof z) {
  const variable = string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,200}$/, 'must be the name of a variable, without $');
  const word = string()
    .max(2000)
    .regex(/^[^\0]*$/, 'must have no NUL character');
  return array(
    strictObject({
      on: array(choice(NOTIFY_EVENTS))
        .min(1)
        .max(NOTIFY_EVENTS.length)
        .default([...NOTIFY_EVENTS])
        .describe('of what; budget: the run reached 80 % of the paid calls'),
      webhook: string()
        .max(2000)
        .refine((url) => addressMistake(url) === null, { error: (issue) => addressMistake(String(issue.input)) ?? '' })
        .optional()
        .describe('the address that receives the POST request'),
      webhook_env: variable.optional().describe('the variable that holds the address, where that is a secret'),
      secret_env: variable.optional().describe('the variable that holds the secret of the signature'),
      format: choice(NOTIFY_FORMATS).default('json').describe("the body: all facts, or one line in Slack's form"),
      command: array(word).min(1).max(100).optional().describe('a program and its arguments: it reads the JSON'),
      timeout_ms: number()
        .int()
        .min(NOTIFY_TIMEOUT.least)
        .max(NOTIFY_TIMEOUT.most)
        .default(NOTIFY_TIMEOUT.unlessTold)
        .describe('for all tries together: the end of a run is held up for no longer'),
    }).superRefine((row, { addIssue }) => {
      const named = WAYS.filter((way) => row[way] !== undefined);
      const custom = (message: string, path: string[] = []) => addIssue({ code: 'custom', path, message });
      if (named.length !== 1) custom(`must have one of ${WAYS.join(', ')}${named.length === 0 ? '' : ', and no more'}`);
      if (row.command === undefined) return;
      if (row.secret_env !== undefined) custom('signs for a webhook; a command needs none', ['secret_env']);
      if (row.format !== 'json') custom('is for a webhook; a command reads JSON', ['format']);
    }),
  )
    .max(8)
    .default([]);
}

const WAYS = ['webhook', 'webhook_env', 'command'] as const;
