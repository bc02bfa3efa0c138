// Extracts the findings of a review from its answer: the list under "Findings", or the JSON list of that name.

import { readJsonAnswer } from '../gate/json-answer.ts';
import { oneLine } from '../text/display.ts';
import { linesOf } from '../text/markdown.ts';
import { sectionTexts } from '../text/sections.ts';
import { type FilePlace, type ProblemLevel, placeIn, withinTree } from './problem.ts';

interface ReviewFinding {
  /** As the review states it: `blocker`, `major`, `minor`; null if it does not. */
  severity: string | null;
  level: ProblemLevel;
  place: FilePlace | null;
  text: string;
}

/** In the answer's order. A remark without severity and place is no finding. @param root of the tree, absolute. */
export function findingsOf(answer: string, root: string | null): ReviewFinding[] {
  const listed = sectionTexts(answer, 'Findings').flatMap((text) => itemsOf(text).map((item) => findingIn(item, root)));
  const found = listed.length > 0 ? listed : jsonFindings(answer, root);
  return found.filter(({ severity, place }) => severity !== null || place !== null).slice(0, MAX_FINDINGS);
}

const MAX_FINDINGS = 1000;
const MAX_TEXT = 2000;

const LEVELS: Record<string, ProblemLevel> = {
  blocker: 'error',
  critical: 'error',
  high: 'error',
  error: 'error',
  major: 'error',
  medium: 'warning',
  warning: 'warning',
  minor: 'warning',
  low: 'warning',
  info: 'note',
  note: 'note',
  nit: 'note',
};

/** The beginning of an item, formatted, separated from what follows, or before a place: "error handling is missing" does not match. */
const SEVERITY = new RegExp(
  `^[\\s\`*_[(]*(${Object.keys(LEVELS).join('|')})(?:[\`*_\\])]|\\s*[:;,|–—]|\\s+-\\s|\\s*(?:\\n|$)|\\s+[\`*_[(]*(?=[^\\s:]{0,200}(?:/|\\.\\p{L}))[\\p{L}\\p{N}\\p{M}_./@+~-]{1,200}:\\d)`,
  'iu',
);

function findingIn(item: string, root: string | null): ReviewFinding {
  const severity = SEVERITY.exec(item.slice(0, 300))?.[1]?.toLowerCase() ?? null;
  return leveled(severity, placeIn(item, root), oneLine(item, MAX_TEXT));
}

const leveled = (severity: string | null, place: FilePlace | null, text: string): ReviewFinding => ({
  severity,
  level: LEVELS[severity ?? ''] ?? 'warning',
  place,
  text,
});

/** Each item with its lines. Deeper items belong to the item above them. */
function itemsOf(text: string): string[] {
  const items: string[] = [];
  for (const { text: line, kind } of linesOf(text)) {
    const begun = kind === 'text' ? /^ {0,1}(?:[-*+]|\d{1,3}[.)])\s+(.*)$/.exec(line)?.[1] : undefined;
    if (begun !== undefined) items.push(begun);
    else if (items.length > 0) items.push(`${items.pop()}\n${line}`);
  }
  return items;
}

function jsonFindings(answer: string, root: string | null): ReviewFinding[] {
  if (!/[[{]/.test(answer)) return [];
  const read = readJsonAnswer(answer);
  if (read.how !== 'read') return [];
  const list = Array.isArray(read.value) ? read.value : (read.value as { findings?: unknown } | null)?.findings;
  return Array.isArray(list) ? list.flatMap((each) => jsonFinding(each, root) ?? []) : [];
}

/** Reads the names that reviews in JSON use; a finding that is a text is read as an item of a list. */
function jsonFinding(each: unknown, root: string | null): ReviewFinding | null {
  if (typeof each === 'string') return findingIn(each, root);
  if (typeof each !== 'object' || each === null) return null;
  const read = <T>(type: 'string' | 'number', ...names: string[]) =>
    names.map((name) => (each as Record<string, unknown>)[name]).find((value) => typeof value === type) as
      | T
      | undefined;
  const text = read<string>('string', 'message', 'text', 'description', 'title', 'what', 'summary', 'issue', 'problem');
  if (text === undefined) return null;
  const named = withinTree(read<string>('string', 'file', 'path') ?? '', root);
  const line = read<number>('number', 'line', 'start_line', 'startLine');
  const end = read<number>('number', 'end_line', 'endLine');
  const place =
    named === null || PLACE_WITH_LINE.test(named)
      ? (placeIn(read<string>('string', 'location', 'file', 'path') ?? '', root) ?? placeIn(text, root))
      : { path: named, line: lineOf(line), endLine: lineOf(end) };
  const severity = read<string>('string', 'severity', 'level')?.toLowerCase() ?? null;
  return leveled(
    severity !== null && Object.hasOwn(LEVELS, severity) ? severity : null,
    place,
    oneLine(text, MAX_TEXT),
  );
}

/** `src/a.ts:12`, given as a path. */
const PLACE_WITH_LINE = /:\d+(?:[-–:]\d+)?$/;

const lineOf = (line: number | undefined): number | null =>
  line !== undefined && Number.isInteger(line) && line > 0 && line < 1e7 ? line : null;
