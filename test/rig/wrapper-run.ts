// Runs a wrapper in a rig's project with the usual files, and reads its results.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import type { RunningCommand } from './running-command.ts';
import type { TestRig } from './test-rig.ts';

export interface WrapperRun {
  running: RunningCommand;
  /** Waits for the end. */
  ended(): Promise<Left>;
}

export interface Left {
  code: number | null;
  said: string;
  record: CallRecord;
  /** The published files; null if there is none. */
  out: string | null;
  err: string | null;
  raw: string | null;
}

export const usualFlags = (tool: BuiltIn): string[] => [
  ...['--prompt-file', 'ask.md', '--out', `${tool}.out`, '--err', `${tool}.err`, '--result', `${tool}.json`],
];

/** @param flags further flags; a later one overrides `--prompt-file`, `--out`, `--err` and `--result`. */
export function runWrapper(rig: TestRig, tool: BuiltIn, flags: string[] = [], prompt = 'Say hello.\n'): WrapperRun {
  const file = (name: string) => path.join(rig.project, name);
  rig.write('ask.md', prompt);
  const running = rig.start(ADAPTERS[tool].command, [...usualFlags(tool), ...flags]);
  return {
    running,
    async ended() {
      const { code, stderr } = await running.result;
      return {
        code,
        said: stderr,
        record: JSON.parse(readOr(file(`${tool}.json`)) ?? 'null') as CallRecord,
        out: readOr(file(`${tool}.out`)),
        err: readOr(file(`${tool}.err`)),
        raw: readOr(file(`${tool}.raw`)),
      };
    },
  };
}

const readOr = (file: string): string | null => (existsSync(file) ? readFileSync(file, 'utf8') : null);
