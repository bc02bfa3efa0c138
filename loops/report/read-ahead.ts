// A second thread that looks at tasks from the last one on, while the first comes towards it: most of a report is waiting for the system.

import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { SHARE_ENV, Worker, workerData } from 'node:worker_threads';
import { lookAt } from '../../state/disk/regular-file.ts';
import { journalOf } from '../../state/journal/journal.ts';
import type { KeptLook } from '../../state/task-index.ts';
import { keepYoungHeapSmall } from '../../wrappers/heap-limits.ts';
import { seeRest } from './seen-rest.ts';
import type { RowStanding } from './task-row.ts';

/** `looks`: how each journal looks. `rests`: its last release, too, of those that rest. */
type Wanted = 'looks' | 'rests';

interface SeenAhead {
  /** null for none. */
  journal: KeptLook | null;
  /** null where only its look was wanted. */
  rest: RowStanding | null;
}

interface ReadAhead {
  /** What it saw of the task at that place, to which the first thread has come now; null where that has to look itself. */
  at(place: number): SeenAhead | null;
  end(): void;
}

/** What both threads see. */
interface Shared {
  home: string;
  wanted: Wanted;
  /** Between slashes, which no name has. */
  names: Uint8Array;
  /** How far the first has come, and down to where the second has been. */
  met: Int32Array;
  told: Uint8Array;
  /** Four of each task: inode, size, time of its change, time of its release. */
  numbers: Float64Array;
}

const RUN_ENDS: readonly RowStanding['state'][] = ['done', 'failed', 'interrupted', 'refused', 'parked'];

const FIRST = 0;
const SECOND = 1;
const FIELDS = 4;

/** What is told of a task: nothing; that it has no journal; how that looks; and from there on which end of a run. */
const ABSENT = 1;
const LOOKED = 2;
const RESTS = 3;

const sharedBytes = (bytes: number) => new SharedArrayBuffer(bytes);

/** null where there is one processor. Nobody waits for it: what it has not done, whatever became of it, the first does. */
export function startReadAhead(home: string, names: readonly string[], wanted: Wanted): ReadAhead | null {
  if (availableParallelism() < 2) return null;
  const count = names.length;
  const text = Buffer.from(names.join('/'));
  const shared: Shared = {
    home,
    wanted,
    names: new Uint8Array(sharedBytes(text.length)),
    met: new Int32Array(sharedBytes(2 * Int32Array.BYTES_PER_ELEMENT)),
    told: new Uint8Array(sharedBytes(count)),
    numbers: new Float64Array(sharedBytes(count * FIELDS * Float64Array.BYTES_PER_ELEMENT)),
  };
  const { met, told, numbers } = shared;
  shared.names.set(text);
  met[SECOND] = count;
  const file = fileURLToPath(import.meta.url);
  const thread = new Worker(`require(${JSON.stringify(file)}).lookFromTheLast()`, {
    eval: true,
    workerData: shared,
    env: SHARE_ENV,
    // What is loaded first in a process is of no use here; but from source that is not taken over from its parent.
    execArgv: file.endsWith('.ts') ? ['--require', 'tsx/cjs'] : [],
    resourceLimits: { maxYoungGenerationSizeMb: 1 },
  });
  thread.on('error', () => {});
  thread.unref();
  let hasBegun = false;
  return {
    at(place) {
      Atomics.store(met, FIRST, place);
      const second = Atomics.load(met, SECOND);
      if (!hasBegun && second < count) {
        hasBegun = true;
        // V8 gives that up when it makes the heap of a thread.
        keepYoungHeapSmall();
      }
      if (second > place || told[place] === 0) return null;
      const from = place * FIELDS;
      const journal =
        told[place] === ABSENT ? null : { ino: numbers[from]!, size: numbers[from + 1]!, ctimeMs: numbers[from + 2]! };
      const state = RUN_ENDS[told[place]! - RESTS];
      return { journal, rest: state === undefined ? null : { state, at: new Date(numbers[from + 3]!).toISOString() } };
    },
    end: () => Atomics.store(met, FIRST, count),
  };
}

/** What the thread does. */
export function lookFromTheLast(): void {
  const { home, wanted, names, met, told, numbers } = workerData as Shared;
  const see = wanted === 'looks' ? seeLook : createSeeing();
  const text = Buffer.from(names.buffer);
  let place = told.length;
  for (let to = text.length; to >= 0; ) {
    place -= 1;
    if (Atomics.load(met, FIRST) >= place) return;
    const from = to === 0 ? 0 : text.lastIndexOf(SLASH, to - 1) + 1;
    told[place] = see(home + path.sep + text.toString('utf8', from, to), numbers, place * FIELDS);
    Atomics.store(met, SECOND, place);
    to = from - 1;
  }
}

const SLASH = 0x2f;

type See = (folder: string, numbers: Float64Array, from: number) => number;

const seeLook: See = (folder, numbers, from) => {
  const look = lookAt(journalOf(folder));
  return look === null ? ABSENT : tell(look, numbers, from);
};

/** As large as nearly every journal. */
const ROOM = 64 * 1024;

function createSeeing(): See {
  const room = Buffer.allocUnsafeSlow(ROOM);
  return (folder, numbers, from) => {
    const { rest, seen } = seeRest(folder, room);
    if (rest === null) return 0;
    const releasedMs = Date.parse(rest.at);
    // Its time as it was written is told by a number, where our own writer wrote it.
    if (Number.isNaN(releasedMs) || new Date(releasedMs).toISOString() !== rest.at) return 0;
    tell(seen.look, numbers, from);
    numbers[from + 3] = releasedMs;
    return RESTS + RUN_ENDS.indexOf(rest.state);
  };
}

function tell({ ino, size, ctimeMs }: KeptLook, numbers: Float64Array, from: number): number {
  numbers[from] = ino;
  numbers[from + 1] = size;
  numbers[from + 2] = ctimeMs;
  return LOOKED;
}
