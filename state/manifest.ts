// Reads a manifest: its fields, and the stages that it names itself or by a pipeline.

import path from 'node:path';
import type { ProjectFile } from '../policies/project-file.ts';
import type { GivenManifest, Manifest, Stage } from './manifest-schema.ts';
import { expandStages } from './stages.ts';
import { readYaml } from './yaml-file.ts';

export type ManifestRead = { how: 'read'; manifest: Manifest; stages: Stage[] } | { how: 'mistaken'; message: string };

/** @param trust what the caller says of the workspace; the manifest may say it too. */
export async function readManifest(
  file: string,
  project: ProjectFile,
  trust: 'trusted' | 'untrusted',
): Promise<ManifestRead> {
  const given = await readGiven(file);
  if (given.how === 'mistaken') return given;
  const trusted = given.value.security.trust_workspace ? 'trusted' : trust;
  const expanded = expandStages(given.value, project, trusted);
  if (expanded.how === 'mistaken') return { how: 'mistaken', message: `${file}: ${expanded.message}` };
  const { stages } = expanded;
  return { how: 'read', manifest: { ...given.value, stages }, stages };
}

/** The paid-call budget alone, for a call that charges a task which no run has opened yet. */
export async function readBudget(
  file: string,
): Promise<{ how: 'read'; calls: number } | { how: 'mistaken'; message: string }> {
  const read = await readGiven(file);
  return read.how === 'mistaken' ? read : { how: 'read', calls: read.value.budgets.paid_call_budget };
}

async function readGiven(
  file: string,
): Promise<{ how: 'read'; value: GivenManifest } | { how: 'mistaken'; message: string }> {
  const read = await readYaml(file, 'a manifest', async () => (await import('./manifest-schema.ts')).MANIFEST);
  if (read.how === 'mistaken') return read;
  const folder = path.basename(path.dirname(path.resolve(file)));
  const id = read.value.task_id;
  if (id === folder) return read;
  const message = `${file}: task_id is "${id}", but its folder is "${folder}"; make them the same`;
  return { how: 'mistaken', message };
}
