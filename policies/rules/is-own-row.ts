// Checks that a value is a valid CLI description. A description in a draft may be planted, even by the call's agent.

import { type Json, partOf } from '../text/json.ts';
import type { OwnToolRow } from './description.ts';

/** Checks as deeply as the value is read, because code that settles a call with it must not throw. */
export function isOwnRow(value: unknown, name: unknown): value is OwnToolRow {
  const row = partOf(value);
  const retries = partOf(row?.retries);
  const exits = partOf(row?.exits);
  if (row === null || retries === null || exits === null || row.name !== name) return false;
  const { timeout, failure, missingBinary, badInput } = exits;
  return (
    isText(row.binary) &&
    isListOf(row.argv, (one) => isText(one) || isListOf(one, isText)) &&
    isOf(row.environment, isText) &&
    ['stdin', 'file'].includes(row.prompt as string) &&
    ['text', 'json', 'lines', 'file'].includes(row.output as string) &&
    isListOf(row.events, isEvent) &&
    (row.access === null || isOf(row.access, (words) => isListOf(words, isText))) &&
    isListOf(retries.argv, isText) &&
    isOf(retries.environment, isText) &&
    isListOf(retries.announced, isText) &&
    (row.version === null || isListOf(row.version, isText)) &&
    (row.packageName === null || isText(row.packageName)) &&
    (row.maxPromptBytes === null || isNumber(row.maxPromptBytes)) &&
    isListOf(row.successExits, isNumber) &&
    [row.timeoutMs, timeout, failure, missingBinary, badInput].every(isNumber)
  );
}

function isEvent(value: unknown): boolean {
  const event = partOf(value);
  if (event === null) return false;
  const { when, tokens = {}, adds = true, requested = true, completed = true, ...paths } = event;
  return (
    isOf(when, Array.isArray) &&
    isOf(tokens, isText) &&
    [adds, requested, completed].every((flag) => flag === true) &&
    Object.values(paths).every(isText)
  );
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): boolean => Number.isInteger(value);
const isListOf = (value: unknown, isOne: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isOne);

function isOf(value: unknown, isOne: (one: unknown) => boolean): boolean {
  const part: Json | null = partOf(value);
  return part !== null && Object.values(part).every(isOne);
}
