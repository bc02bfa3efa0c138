// The described CLIs that this process knows: registered by the code that read the description, and looked up by name.

import { OWN_EXIT } from '../../policies/facts/exit-codes.ts';
import type { OwnTool } from '../../policies/facts/tools.ts';
import type { OwnToolRow } from '../../policies/rules/described-cli.ts';
import type { Adapter } from '../adapter.ts';
import { ownAdapter } from './adapter.ts';

const KNOWN = new Map<OwnTool, Adapter>();

/** Why they cannot be called beside those that are known, as a sentence; or null. A name means one CLI as long as we run. */
export function describeTools(rows: Readonly<Record<string, OwnToolRow>>): string | null {
  for (const row of Object.values(rows)) {
    const known = KNOWN.get(row.name)?.described?.row;
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(row))
      return `tools.${row.name} of tollgate.yaml was described differently when this run began, or in another of its projects; start the run again, or one run for each project`;
    if (known === undefined) KNOWN.set(row.name, ownAdapter(row));
  }
  return null;
}

/** For a process that runs tasks of several projects one after another. */
export const forgetTools = (): void => KNOWN.clear();

/** A CLI without a description here, such as one in an old journal, can be reported but not called. */
export const describedAdapter = (tool: OwnTool): Adapter => KNOWN.get(tool) ?? ownAdapter(stranger(tool));

const stranger = (name: OwnTool): OwnToolRow => ({
  name,
  binary: name,
  argv: [],
  environment: {},
  prompt: 'stdin',
  maxPromptBytes: null,
  output: 'text',
  events: [],
  successExits: [0],
  access: {},
  retries: { argv: [], environment: {}, announced: [] },
  version: null,
  packageName: null,
  timeoutMs: 600_000,
  exits: OWN_EXIT,
});
