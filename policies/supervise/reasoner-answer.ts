// Defines the possible answers of a reasoner and their schema, and parses an answer: one JSON object, bare, fenced or in prose.

import { fencesOf } from '../text/markdown.ts';

/** Each action with the one text that it requires, and what both mean. `no_op` keeps the current instruction. */
export const REASONER_ACTIONS = {
  continue: {
    needs: 'instruction',
    about: 'The worker continues with the next instruction, which replaces the current one',
    text: 'The next instruction for the worker, complete',
  },
  done: {
    needs: 'summary',
    about: 'The goal is achieved; accepted only if the acceptance commands pass and nothing out of scope has changed',
    text: 'Summary of what was achieved',
  },
  no_op: { needs: null, about: 'The worker continues with the current instruction', text: null },
  save_session: {
    needs: 'why',
    about: 'The work stops; the session is saved and can be resumed',
    text: 'Why the work must stop',
  },
  ask: {
    needs: 'question',
    about: 'A person must decide; the task waits for the answer',
    text: 'The question that a person must answer',
  },
} as const satisfies Record<string, { needs: string | null; about: string; text: string | null }>;

type ReasonerAction = keyof typeof REASONER_ACTIONS;

/** `text`: the instruction, summary, reason or question; empty for `no_op`. */
interface ReasonerAnswer {
  action: ReasonerAction;
  text: string;
}

type ReasonerRead = { how: 'read'; answer: ReasonerAnswer } | { how: 'invalid'; reason: ReasonerMistake; why: string };

type ReasonerMistake = 'empty_answer' | 'too_long' | 'not_json' | 'cut_answer' | 'off_schema' | 'several_answers';

/** The limit for the whole answer, in characters. A real step needs less. */
export const MAX_ANSWER_CHARS = 200_000;
/** The limit for its one text. The worker receives that text with each call. */
const MAX_TEXT_CHARS = 50_000;

/** JSON Schema of the answer; `npm run schemas` publishes it. */
export const REASONER_SCHEMA = {
  title: 'Answer of the reasoner of tollgate supervise',
  type: 'object',
  oneOf: Object.entries(REASONER_ACTIONS).map(([action, { needs, about, text }]) => ({
    description: about,
    properties: {
      action: { description: 'The action to take', const: action },
      ...(needs === null
        ? {}
        : { [needs]: { description: text, type: 'string', minLength: 1, maxLength: MAX_TEXT_CHARS, pattern: '\\S' } }),
    },
    required: ['action', ...(needs === null ? [] : [needs])],
  })),
} as const;

/** Takes time linear in the length of the answer, plus a bounded number of attempts at text that only begins like an object. */
export function readReasonerAnswer(said: string): ReasonerRead {
  const text = said.replace(/^\ufeff/, '').trim();
  if (text === '') return invalid('empty_answer', 'it is empty');
  if (text.length > MAX_ANSWER_CHARS)
    return invalid('too_long', `it has ${text.length} characters; at most ${MAX_ANSWER_CHARS} are read`);
  const whole = parsed(text);
  if (whole !== undefined) return fitting(whole);
  const candidates = inFencesAndBeside(text) ?? inProse(text);
  if (candidates === 'cut') return invalid('cut_answer', 'its JSON breaks off');
  if (candidates.length === 0) return invalid('not_json', 'it holds no JSON object');
  const reads = candidates.map(fitting);
  const [fit, another] = reads.filter((read) => read.how === 'read');
  if (another !== undefined)
    return invalid('several_answers', 'it holds more than one answer, and only one can be meant');
  return fit ?? reads[0]!;
}

/** Other fields of the object are ignored. */
function fitting(value: unknown): ReasonerRead {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return invalid('off_schema', 'it is not a JSON object');
  const given = value as Record<string, unknown>;
  const { action } = given;
  if (typeof action !== 'string' || !Object.hasOwn(REASONER_ACTIONS, action))
    return invalid('off_schema', WRONG_ACTION);
  const { needs } = REASONER_ACTIONS[action as ReasonerAction];
  if (needs === null) return { how: 'read', answer: { action: action as ReasonerAction, text: '' } };
  const text = given[needs];
  if (typeof text !== 'string' || text.trim() === '')
    return invalid('off_schema', `"${action}" needs "${needs}", a text`);
  if (text.length > MAX_TEXT_CHARS)
    return invalid('too_long', `its "${needs}" has ${text.length} characters; at most ${MAX_TEXT_CHARS} are taken`);
  if (text.includes('\0')) return invalid('off_schema', `its "${needs}" holds a NUL character`);
  // Half of a surrogate pair would become another character on its way to the worker.
  if (LONE_SURROGATE.test(text)) return invalid('off_schema', `its "${needs}" is not well-formed text`);
  return { how: 'read', answer: { action: action as ReasonerAction, text } };
}

const LONE_SURROGATE = /\p{Cs}/u;

const WRONG_ACTION = `its "action" is not one of ${Object.keys(REASONER_ACTIONS).join(', ')}`;

/** Returns undefined for text that is not JSON. An object in a fence counts only if it is complete. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** The objects in code blocks and beside them, which quoted code does not override; null if no block is JSON. */
function inFencesAndBeside(text: string): unknown[] | 'cut' | null {
  const fences = fencesOf(text);
  const values = fences.flatMap(({ body }) => {
    const value = parsed(body);
    return isObject(value) ? [value] : [];
  });
  if (values.length === 0) return null;
  const beside = fences.map(({ from }, i) => text.slice(fences[i - 1]?.to ?? 0, from));
  const said = inProse([...beside, text.slice(fences.at(-1)!.to)].join('\n'));
  return said === 'cut' ? said : [...values, ...said];
}

/** How many braces that open no object are tried. */
const MAX_LOOKS = 100;

/** Returns the objects in the text, side by side. `cut`: one object begins and does not end, whatever it contains. */
function inProse(text: string): unknown[] | 'cut' {
  const values: unknown[] = [];
  let at = text.indexOf('{');
  for (let looks = 0; at !== -1 && looks < MAX_LOOKS; looks += 1) {
    const end = endOfObject(text, at);
    if (end === null && /^\{\s*"(?:[^"\\]|\\.)*"\s*(?::|$)/.test(text.slice(at, at + 300))) return 'cut';
    const value = end === null ? undefined : parsed(text.slice(at, end));
    if (value !== undefined) values.push(value);
    at = text.indexOf('{', value === undefined ? at + 1 : end!);
  }
  return values;
}

/** Returns the index after its closing brace, or null if it has none. */
function endOfObject(text: string, start: number): number | null {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{') depth += 1;
    else if (char === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return null;
}

const invalid = (reason: ReasonerMistake, why: string): ReasonerRead => ({ how: 'invalid', reason, why });
