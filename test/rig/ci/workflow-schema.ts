// Validates actions and workflows with GitHub's own parser: reports what it would refuse.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

interface Reader {
  /** Returns the mistakes; [] for none. */
  action(text: string): string[];
  workflow(text: string): string[];
}

/** Its package imports JSON in a way that Node does not support, so it is bundled first. */
const ENTRY = `
import { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { parseAction } from '@actions/workflow-parser/actions/action-parser';
const read = (parse, name) => (content) =>
  parse({ name, content }, new NoOperationTraceWriter()).context.errors.getErrors().map(({ message }) => message);
export const action = read(parseAction, 'action.yml');
export const workflow = read(parseWorkflow, '.github/workflows/read.yml');
`;

export async function openWorkflowSchema(): Promise<Reader> {
  const folder = mkdtempSync(path.join(tmpdir(), 'workflow-schema-'));
  try {
    const outfile = path.join(folder, 'reader.cjs');
    const stdin = { contents: ENTRY, resolveDir: path.resolve('.') };
    await build({ stdin, outfile, bundle: true, format: 'cjs', platform: 'node', logLevel: 'error' });
    return (await import(pathToFileURL(outfile).href)).default as Reader;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
