// Reads the saved report of a batch, by the batch's id, or the last one.

import path from 'node:path';
import { entriesIn } from '../../state/disk/folder.ts';
import { readRegular } from '../../state/disk/regular-file.ts';
import type { BatchReport } from './report.ts';
import { renderBatch } from './summary.ts';

type SavedReport = { how: 'read'; report: BatchReport; summary: string } | { how: 'invalid'; message: string };

const LAST = 'last';
const NAMED = 5;

/**
 * @param state the project's `.tmp`.
 * @param word the id, or `last`.
 */
export function savedReport(state: string, word: string): SavedReport {
  const folder = path.join(state, 'batch');
  const known = idsIn(folder);
  const id = word === LAST ? known.at(-1) : known.find((each) => each === word);
  if (id === undefined) {
    const names = known.slice(-NAMED).reverse().join(', ');
    return invalid(
      known.length === 0
        ? `there is no batch report in ${folder}`
        : `no batch "${word}" is in ${folder}; the last ones are ${names}`,
    );
  }
  const file = path.join(folder, id, 'report.json');
  try {
    const report = JSON.parse(readRegular(file)) as BatchReport;
    if (report?.schema !== 1 || !Array.isArray(report.tasks)) return invalid(`${file} is no report of a batch`);
    return { how: 'read', report, summary: renderBatch(report) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code ?? (error instanceof SyntaxError ? 'it is no JSON' : 'it is no report of a batch');
    return invalid(`${file} cannot be read (${why})`);
  }
}

/** Ids begin with the time, so that the last one is the newest. */
function idsIn(folder: string): string[] {
  return entriesIn(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

const invalid = (message: string): SavedReport => ({ how: 'invalid', message });
