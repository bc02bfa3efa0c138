// Carries out a run that the server began, in a separate process, which outlives the server and its client.

import path from 'node:path';
import { carriedFolder, claim, end, RUN_ID, startOf } from '../../../loops/report/carried-run.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { readIfFit } from '../../../state/disk/regular-file.ts';
import { identify } from '../../../wrappers/processes/identity.ts';
import { endOf } from '../../command.ts';
import { badInputOf, type Ran } from '../../ran.ts';
import { run as call } from '../call.ts';
import { run as distill } from '../distill/distill.ts';
import { run } from '../run.ts';
import { run as supervise } from '../supervise/supervise.ts';

const COMMANDS = { run, call, supervise, distill } as const;

/** Does nothing if another process has the run, or if it has ended. */
export async function carry(id: string): Promise<Ran> {
  if (!RUN_ID.test(id)) return badInputOf('tollgate mcp')(`"${id}" is not an id of a run`);
  const folder = carriedFolder(process.cwd(), process.env);
  const start = startOf(folder, id);
  if (start === null) return badInputOf('tollgate mcp')(`no run ${id} was begun here`);
  if (!claim(folder, id, (await identify(process.pid))!)) return { exit: TOLLGATE_EXIT.ok };
  const [word, ...argv] = start.argv;
  const {
    exit,
    out = '',
    err = '',
  } = await endOf({ run: COMMANDS[word as keyof typeof COMMANDS], failure: TOLLGATE_EXIT.failure }, argv);
  const printed = out === '' ? { state: 'refused', message: err.trim() } : (JSON.parse(out) as Record<string, unknown>);
  const answer = start.files === null ? null : readIfFit(path.join(start.files, 'answer.md'), MAX_ANSWER_BYTES);
  const object = answer === null ? printed : { ...printed, answer };
  end(folder, id, { schema: 1, at: new Date().toISOString(), exit_code: exit, object });
  return { exit, err };
}

/** A larger answer is read only from its file. */
const MAX_ANSWER_BYTES = 1024 ** 2;
