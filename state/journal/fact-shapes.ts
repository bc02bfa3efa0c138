// Checks the lines of the journal before they are used: users edit it, and half a fact must not block a task.

import { isTool } from '../../policies/facts/tools.ts';
import { isSessionEntry } from '../../policies/session/session-entry.ts';
import type { Fact, JournalLine } from './facts.ts';

type Test = (value: unknown) => boolean;

const text: Test = (value) => typeof value === 'string' && value !== '';
/** It becomes the name of a file or a folder. */
const name: Test = (value) => typeof value === 'string' && /^(?!\.\.?$)[A-Za-z0-9._-]{1,160}$/.test(value);
const texts: Test = (value) => Array.isArray(value) && value.every((one) => typeof one === 'string');
/** It becomes the name of a file. */
const hash: Test = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const count: Test = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
/** From 1. */
const place: Test = (value) => count(value) && (value as number) >= 1;
const time: Test = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const tool: Test = isTool;
const RUN_ENDS: readonly unknown[] = ['done', 'failed', 'interrupted', 'refused', 'parked'];
const process_: Test = (value) => {
  const { pid, start_time, host } = (value ?? {}) as Record<string, unknown>;
  return count(pid) && text(start_time) && text(host);
};

const isEngine: Test = (value) => {
  const { tool: name, account, model } = (value ?? {}) as Record<string, unknown>;
  return tool(name) && (account === undefined || text(account)) && (model === null || text(model));
};
const isStandIn: Test = (value) => isEngine(value) && isEngine((value as Record<string, unknown>).in_place_of);

/** Only what a reader relies on. */
const SHAPES: Record<Fact['fact'], Record<string, Test>> = {
  claimed: { run_id: text, owner: process_, stages: (value) => value === undefined || texts(value) },
  released: { run_id: text, exit_code: count, state: (value) => RUN_ENDS.includes(value) },
  budget: { calls: count },
  reserved: {
    call_id: name,
    stage: name,
    tool,
    account: (value) => value === undefined || name(value),
    guardian: process_,
    deadline_at: time,
  },
  started: { call_id: text },
  ended: { call_id: text, ending: text },
  verdict: { call_id: text, exit_code: count, lacks: (value) => value === undefined || texts(value) },
  session: { tag: text, tool, entry: (value) => value === null || isSessionEntry(value) },
  decided: {
    stage: text,
    stand_in: (value) => value === undefined || isStandIn(value),
    refused: (value) => value === undefined || text((value as { signature?: unknown } | null)?.signature),
  },
  gate: { stage: name },
  done: { stage: name, prompt_sha256: text },
  kept: { stage: name, prompt_sha256: text },
  reopened: { stage: text, redo: (value) => value === undefined || value === true },
  reset: { used: count, at_offset: count },
  supervised: { supervision: text, goal: hash },
  instructed: { iteration: count, instruction: hash, worker: (value) => value === 'asked' || value === 'spared' },
  worked: { iteration: count, call_id: name, changed: count, failed: texts },
  reasoned: {
    iteration: count,
    action: text,
    notes: texts,
    instruction: (value) => value === undefined || hash(value),
  },
  noted: { note: name, text: hash },
  left: { how: text, why: (value) => typeof value === 'string' },
  distilled: { run_id: text, book_sha256: hash, prompt_sha256: hash, model: text },
  uploaded: { why: text, name: text, uri: text, mime_type: text, expires_at: (value) => value === null || time(value) },
  answered: {
    call_id: name,
    turn: place,
    section: place,
    title: (value) => typeof value === 'string',
    chars: count,
    tokens: count,
    usd: (value) => value === null || typeof value === 'number',
    held: (value) => value === null || text((value as { name?: unknown }).name),
  },
  accepted: { turn: place },
  dropped: { turn: place },
  deleted: { section: place, again: (value) => typeof value === 'boolean' },
  halted: { how: text, evidence: (value) => typeof value === 'string' },
};

export function isFact(line: unknown): line is JournalLine {
  const { fact } = line as { fact?: string };
  if (fact === undefined || !Object.hasOwn(SHAPES, fact)) return false;
  const shape = SHAPES[fact as Fact['fact']];
  return Object.entries(shape).every(([field, test]) => test((line as Record<string, unknown>)[field]));
}
