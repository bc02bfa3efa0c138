// Reads a manifest (the only door to yaml); an error names file, line, path, what was expected and the nearest right name.

import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Manifest, Stage } from './manifest-schema.ts';

export type ManifestRead = { how: 'read'; manifest: Manifest; stages: Stage[] } | { how: 'mistaken'; message: string };

/** More aliases than any manifest needs, and far fewer than a bomb has. */
const MAX_ALIASES = 50;
const MAX_BYTES = 1024 * 1024;

export async function readManifest(file: string): Promise<ManifestRead> {
  const [{ MANIFEST }, { parseDocument, LineCounter }] = await Promise.all([
    import('./manifest-schema.ts'),
    import('yaml'),
  ]);
  const kind = await stat(file).catch(() => null);
  if (kind !== null && !kind.isFile()) return mistaken(`${file} is no regular file`);
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => error);
  if (bytes instanceof Error) return mistaken(`${file} cannot be read (${bytes.code})`);
  if (bytes.length > MAX_BYTES)
    return mistaken(`${file} has ${bytes.length} bytes; a manifest has at most ${MAX_BYTES}`);
  const lines = new LineCounter();
  const document = parseDocument(bytes.toString('utf8'), {
    lineCounter: lines,
    version: '1.2',
    schema: 'core',
    prettyErrors: false,
  });
  const syntax = document.errors[0] ?? document.warnings[0];
  if (syntax !== undefined)
    return mistaken(`${file}:${lines.linePos(syntax.pos[0]).line}: ${syntax.message.split('\n')[0]}`);
  let data: unknown;
  try {
    data = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    return mistaken(`${file}: ${error instanceof RangeError ? 'it is nested too deeply' : (error as Error).message}`);
  }
  const parsed = MANIFEST.safeParse(data);
  if (!parsed.success) {
    const { describeIssue } = await import('./manifest-issue.ts');
    return mistaken(parsed.error.issues.map((issue) => describeIssue(file, issue, document, lines)).join('\n'));
  }
  const manifest = parsed.data;
  const folder = path.basename(path.dirname(path.resolve(file)));
  if (manifest.task_id !== folder)
    return mistaken(`${file}: task_id is "${manifest.task_id}", but its folder is "${folder}"; make them the same`);
  return nameStages(file, manifest);
}

/** A stage is called by its id, else `<tool>_<role>`. */
function nameStages(file: string, manifest: Manifest): ManifestRead {
  const stages = manifest.stages.map((stage) => ({ ...stage, name: stage.id ?? `${stage.tool}_${stage.role}` }));
  const seen = new Set<string>();
  for (const { name } of stages) {
    if (seen.has(name)) return mistaken(`${file}: two stages are called "${name}"; give one an id of its own`);
    seen.add(name);
  }
  return { how: 'read', manifest, stages };
}

/** The paid-call budget alone, for a call that charges a task which no run has opened yet. */
export async function readBudget(
  file: string,
): Promise<{ how: 'read'; calls: number } | { how: 'mistaken'; message: string }> {
  const read = await readManifest(file);
  return read.how === 'mistaken' ? read : { how: 'read', calls: read.manifest.budgets.paid_call_budget };
}

const mistaken = (message: string) => ({ how: 'mistaken', message }) as const;
