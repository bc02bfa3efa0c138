// Computes the signature of a failure: equal for two runs of one failure, different for two failures; and explains it.

import { createHash } from 'node:crypto';
import type { ErrorClass } from '../facts/classes.ts';
import type { Ending } from '../facts/evidence.ts';
import type { Tool } from '../facts/tools.ts';
import { isErrorBearing } from './assess.ts';
import { tellBodies } from './bodies.ts';
import { createErrorLines, type ErrorLines } from './error-lines.ts';
import { normalise, type Step, TOKEN_CLASSES } from './normalise.ts';
import type { ScanContext } from './token-class.ts';

/** A change of the normaliser changes every signature, so the version is part of it. */
const VERSION = 'v1';
const MAX_NORMAL_LENGTH = 500;

export interface SignatureInput {
  tool: Tool | null;
  /** The lines of stderr that `createErrorLines` picked. */
  errorLines: readonly string[];
  /** The remarks of stderr, if there is nothing better. */
  remarks?: readonly string[];
  /** The engine's own error event. */
  eventText: string | null;
  detail: Detail;
  /** What the caller knows to change from task to task. */
  volatile?: ScanContext;
}

export interface Detail {
  ending: Ending;
  class: ErrorClass | null;
  reason: string | null;
  /** Details that distinguish two failures of one reason and never change: missing sections, a violated glob, a native code. */
  more: readonly string[];
}

export interface Signature {
  /** `v1:` and 64 hex digits. */
  signature: string;
  /** The text that was hashed, at most 500 characters. */
  normalised: string;
  source: 'stderr' | 'event' | 'detail';
  /** Only from `explain`. */
  explained?: SignatureExplanation;
}

interface SignatureExplanation {
  lines: readonly string[];
  /** The text that each token class removed from them. */
  eaten: readonly Eaten[];
  /** Word by word. */
  steps: readonly Step[];
}

/**
 * Signs the first source with content: stderr lines that contain an error, the engine's error event, other lines of stderr. The
 * last source is the tool, the ending and the verdict, so that two tools' empty stderr never have the same signature.
 */
export function sign(input: SignatureInput): Signature {
  return signed(input, null);
}

/** The same, with what happened to each word. */
export function explain(input: SignatureInput): Signature {
  const explained = { lines: [], eaten: [], steps: [] };
  return { ...signed(input, explained), explained };
}

/** The signature of captured text, as `tollgate signature` prints it; `tool` distinguishes empty texts. */
export const signText = (tool: Tool | null, text: string): Signature => signLines(tool, selectedFrom(tool, text));

/** The same, explained. */
export const explainText = (tool: Tool | null, text: string): Signature => explainLines(tool, selectedFrom(tool, text));

/** The same for lines that were pushed as they came. */
export const signLines = (tool: Tool | null, selected: ErrorLines): Signature => sign(inputOf(tool, selected));

export const explainLines = (tool: Tool | null, selected: ErrorLines): Signature => explain(inputOf(tool, selected));

/** @param explained is filled in by this function. */
function signed(input: SignatureInput, explained: SignatureExplanation | null): Signature {
  const { errorLines, eventText, volatile, remarks = [] } = input;
  const eventLines = eventText === null ? [] : chosenOf(selectedFrom(input.tool, eventText));
  const strict = errorLines.some(isErrorBearing);
  const candidates: [Signature['source'], readonly string[]][] = [
    ['stderr', strict ? errorLines : []],
    ['event', eventLines],
    ['stderr', errorLines],
    ['stderr', remarks],
  ];
  for (const [source, lines] of candidates) {
    const steps: Step[] = [];
    const normalised = normalForm(lines, volatile, explained && steps);
    if (!saysAnything(normalised)) continue;
    if (explained) Object.assign(explained, { lines, eaten: eatenIn(steps), steps });
    return { signature: hashed(normalised), normalised, source };
  }
  const normalised = detailText(input);
  const steps = normalised.split(' ').map((word) => ({ class: null, put: word, piece: word, from: 0, to: 0 }));
  if (explained) Object.assign(explained, { steps });
  return { signature: hashed(normalised), normalised, source: 'detail' };
}

function normalForm(lines: readonly string[], volatile: ScanContext | undefined, trace: Step[] | null): string {
  return normalise(lines.map((line) => tellBodies(line.trimStart())).join('\n'), volatile, MAX_NORMAL_LENGTH, trace)
    .slice(0, MAX_NORMAL_LENGTH)
    .trimEnd();
}

/** A number or a path alone does not identify a failure: two tools may both end with "42". */
const saysAnything = (normalised: string): boolean => /[^\s<>]{2}/.test(normalised.replace(/<(?!code:)[^<>]*>/g, ''));

function detailText({ tool, detail }: SignatureInput): string {
  const facts = [`tool=${tool}`, `ending=${detail.ending}`, `class=${detail.class}`, `reason=${detail.reason}`];
  return [...facts, ...detail.more].join(' ').slice(0, MAX_NORMAL_LENGTH);
}

/** Lines that contain an error, or else the remarks. */
function chosenOf(selected: ErrorLines): string[] {
  const lines = selected.lines();
  return lines.length > 0 ? lines : selected.remarks();
}

function selectedFrom(tool: Tool | null, text: string): ErrorLines {
  const selected = createErrorLines(tool);
  for (const line of text.split('\n')) selected.push(line);
  return selected;
}

function inputOf(tool: Tool | null, selected: ErrorLines): SignatureInput {
  return {
    tool,
    errorLines: chosenOf(selected),
    eventText: null,
    detail: { ending: 'exited', class: 'unknown', reason: null, more: [] },
  };
}

const hashed = (normalised: string): string => `${VERSION}:${createHash('sha256').update(normalised).digest('hex')}`;

export interface FailedOnce {
  signature: string | null;
  class: ErrorClass | null;
  reason: string | null;
  /** Used if there is no class. */
  message?: string | null;
}

/** Equal failures of many tasks: by signature, else class and reason, else message. The most frequent is first. */
export function gatherFailures<T extends FailedOnce>(failed: readonly T[]): [T, ...T[]][] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const one of failed) {
    const key = one.signature ?? (one.class === null ? `says ${one.message}` : `is ${one.class} ${one.reason}`);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

/** What a token class removed from a text. */
interface Eaten {
  class: string;
  count: number;
  /** The replacements, each once; empty = nothing. */
  put: string[];
  /** The first removed pieces, each once. */
  pieces: string[];
}

const MAX_PIECES = 5;

/** In the order of the table of token classes. */
function eatenIn(steps: readonly Step[]): Eaten[] {
  const names = TOKEN_CLASSES.map(({ name }) => name);
  return names.flatMap((name) => {
    const own = steps.filter((step) => step.class === name);
    const put = new Set(own.map((step) => step.put).filter((text) => text !== ''));
    const pieces = new Set(own.map((step) => step.piece));
    return own.length === 0
      ? []
      : [{ class: name, count: own.length, put: [...put], pieces: [...pieces].slice(0, MAX_PIECES) }];
  });
}

/** Where two normal forms differ. */
interface Parting {
  /** The last words that they share. */
  after: string;
  /** What comes next in each; null = nothing. */
  sides: [one: Side | null, other: Side | null];
}

export interface Side extends Step {
  /** The words around it as they were in the text. */
  around: string;
}

const SHARED_WORDS = 6;
const AROUND = 5;

/** Returns the first place where they differ, or null if they are the same. */
export function partingOf(one: readonly Step[], other: readonly Step[]): Parting | null {
  const [first, second] = [one, other].map((steps) => steps.filter(({ put }) => put !== '')) as [Step[], Step[]];
  let at = 0;
  while (at < first.length && first[at]!.put === second[at]?.put) at += 1;
  if (at === first.length && at === second.length) return null;
  const shared = first.slice(Math.max(0, at - SHARED_WORDS), at).map(({ put }) => put);
  return { after: shared.join(' '), sides: [sideOf(one, first[at]), sideOf(other, second[at])] };
}

function sideOf(steps: readonly Step[], step: Step | undefined): Side | null {
  if (step === undefined) return null;
  const at = steps.indexOf(step);
  const around = steps.slice(Math.max(0, at - AROUND), at + AROUND + 1).map(({ piece }) => piece);
  return { ...step, around: around.join(' ') };
}
