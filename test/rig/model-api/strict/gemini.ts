// Refuses a conversation as Google's service does, in its own words.

import type { Body } from '../dialect.ts';
import { type Fields, fieldsOf, listOf, textOf } from './shapes.ts';

/** @returns null if it is accepted. */
export function refusedByGemini({ contents }: Body): string | null {
  const turns = listOf(contents);
  if (turns.length === 0) return '* GenerateContentRequest.contents: contents is not specified\n';
  return (
    firstOf(turns.map(malformed)) ??
    firstOf(turns.map((turn, i) => outOfPlace(turn, turns[i - 1], turns[i + 1]))) ??
    lastOf(turns)
  );
}

const firstOf = (words: readonly (string | null)[]): string | null => words.find((one) => one !== null) ?? null;

function malformed(turn: Fields, i: number): string | null {
  const parts = listOf(turn.parts);
  if (parts.length === 0) return `* GenerateContentRequest.contents[${i}].parts: contents.parts must not be empty.\n`;
  const empty = parts.findIndex((part) => !DATA.some((name) => part[name] !== undefined && part[name] !== ''));
  if (empty !== -1)
    return `* GenerateContentRequest.contents[${i}].parts[${empty}].data: required oneof field 'data' must have one initialized field\n`;
  return turn.role === undefined || turn.role === 'user' || turn.role === 'model'
    ? null
    : 'Please use a valid role: user, model.';
}

const DATA = [
  'text',
  'functionCall',
  'functionResponse',
  'inlineData',
  'fileData',
  'executableCode',
  'codeExecutionResult',
];

/** The next turn must answer all calls of a turn, and nothing else. */
function outOfPlace(turn: Fields, before: Fields | undefined, after: Fields | undefined): string | null {
  const [calls, responses] = [namesIn(turn, 'functionCall'), namesIn(turn, 'functionResponse')];
  if (calls.length > 0 && (before === undefined || before.role === 'model'))
    return 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
  if (calls.length > 0 && after !== undefined && !isSame(calls, namesIn(after, 'functionResponse')))
    return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
  if (responses.length > 0 && namesIn(before ?? {}, 'functionCall').length === 0)
    return 'Please ensure that function response turn comes immediately after a function call turn.';
  return null;
}

const namesIn = (turn: Fields, kind: string): string[] =>
  listOf(turn.parts).flatMap((part) => (part[kind] === undefined ? [] : textOf(fieldsOf(part[kind]).name)));

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  [...some].sort().join('\n') === [...others].sort().join('\n');

function lastOf(turns: readonly Fields[]): string | null {
  if (turns.at(-1)!.role !== 'model') return null;
  return turns.length === 1
    ? 'Please ensure that single turn requests end with a user role or the role field is empty.'
    : 'Please ensure that multiturn requests end with a user role or a function response.';
}
