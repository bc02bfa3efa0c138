// `tollgate history` on a session of 100 MB with 50,000 records, for each CLI: time and peak memory of the whole command.

import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { age, beginningOf, makeSession, SESSION_IDS, sessionFile, turnOf } from '../../test/rig/session-files.ts';
import { atMost, type Figure, type FigureRow, timesOf } from './measure.ts';
import { command, inWorld, usageIn } from './world.ts';

const RECORDS = 50_000;
const BYTES = 100_000_000;

export const HISTORY: Figure = {
  about: 'the last 20 turns of a session file of 100 MB and 50,000 records, the whole command (Linux alone)',
  rounds: 3,
  async measure(rounds) {
    const rows: FigureRow[] = [];
    for (const tool of TOOLS)
      await inWorld(async (world) => {
        const project = path.join(world.root, 'project');
        mkdirSync(project);
        makeLarge(tool, { home: world.root, project });
        const usage = usageIn(world);
        const argv = [...usage.flags, command('tollgate'), 'history', SESSION_IDS[tool]];
        const memory: number[] = [];
        const ms = Array.from({ length: rounds }, () => {
          const one = world.node(argv, 0, { cwd: project });
          memory.push(usage.last().mib);
          return one;
        });
        const [ours, most] = [timesOf(ms), timesOf([Math.max(...memory)])];
        const what = `history of ${tool}`;
        rows.push(
          { what, unit: 'ms', ours, peer: null, goal: atMost(500, 'ms', ours) },
          { what: `${what}, most memory`, unit: 'MiB', ours: most, peer: null, goal: atMost(150, 'MiB', most) },
        );
      });
    return rows;
  },
};

/** Turns with a tool each, whose output makes up the size. */
function makeLarge(tool: BuiltIn, places: { home: string; project: string }): void {
  makeSession(tool, places, []);
  const file = sessionFile(tool, places.home);
  const fd = openSync(file, 'w');
  const put = (lines: readonly string[]) => writeSync(fd, lines.map((line) => `${line}\n`).join(''));
  const turn = (number: number, bytes: number) => {
    const output = 'a line of some file\n'.repeat(bytes / 20);
    const ran = { name: 'shell', input: { command: `cat part-${number}` }, output };
    const said = { prompt: `What does part ${number} do?`, thought: 'I look at it.', answer: `Its part ${number}.` };
    return turnOf(tool, { ...said, tool: ran }, number);
  };
  put(beginningOf(tool, SESSION_IDS[tool], places.project));
  const plain = turn(1, 0);
  const turns = Math.ceil(RECORDS / plain.length);
  const each = BYTES / turns - Buffer.byteLength(plain.join('\n'));
  // gemini repeats a tool's output in two records.
  const output = Math.floor(each / (tool === 'gemini' ? 2.1 : 1.05) / 20) * 20;
  for (let number = 1; number <= turns; number += 1) put(turn(number, output));
  closeSync(fd);
  age(file);
}
