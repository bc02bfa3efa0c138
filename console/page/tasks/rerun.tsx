// Runs tasks again after one confirmation that says what they may pay; then shows the result of each.

import { type NextAction, toType } from '../../../policies/facts/next-action.ts';
import type { TaskLine } from '../../contract/page.ts';
import { change, changeQuietly, type Trouble } from '../live/requests.ts';
import { Paid } from '../parts/actions.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { count, counted } from '../parts/figures.ts';
import { useSignal } from '../reactive.ts';
import { Words } from '../text/words.tsx';
import { callsAtMost, callsLeft, signedOutOf, undone } from './task-list.ts';

/** Runs a task again by its command. */
export const againOf = (id: string, state: TaskLine['state']): NextAction =>
  state === 'done'
    ? toType('call every stage again, and pay for it', `tollgate run ${id} --redo=all`, 'pays')
    : toType(
        `${state === 'interrupted' ? 'continue' : 'rerun'} the task: stages that are done are not called again`,
        `tollgate run ${id}`,
        'pays',
      );

interface RerunButtonProps {
  ids: readonly string[];
  /** Of what the tasks are, read aloud after the name. */
  name: string;
  isMain: boolean;
  /** The time before which the service refuses the calls; null if that is over. */
  earliest: string | null;
  /** Whether no advice above it says when it is possible. */
  isAlone?: boolean;
  onRerun: (ids: readonly string[]) => void;
}

/** Leads to the dialog that runs tasks again. */
export function RerunButton({ ids, name, isMain, earliest, isAlone = false, onRerun }: RerunButtonProps) {
  const some = ids.slice(0, MOST_RERUNS);
  const out = signedOutOf(some);
  return (
    <Paid out={out} isMain={isMain} earliest={earliest} cost={callsAtMost(some)} isSaid={!isAlone && earliest !== null}>
      {({ look, end }) => (
        <button type="button" class={`button small ${look}`} disabled={earliest !== null} onClick={() => onRerun(some)}>
          {some.length === 1 ? 'Rerun' : `Rerun these ${count(some.length)}`}
          {isAlone && some.length === 1 ? <Words of={` ${some[0]}`} /> : <span class="unseen"> of {name}</span>}
          {end}
        </button>
      )}
    </Paid>
  );
}

/** Each run is a process of its own. */
export const MOST_RERUNS = 20;
/** The server takes no more. */
export const MOST_IN_BATCH = 100;
/** Each request waits until the run has begun. */
const AT_ONCE = 3;

interface Result {
  id: string;
  /** null while it is requested. */
  said: string | Trouble | null;
}

export function RerunDialog({ ids, onClose }: { ids: readonly string[]; onClose: () => void }) {
  const results = useSignal<readonly Result[]>([]);
  const isBusy = results.value.some(({ said }) => said === null);
  const one = ids.length === 1;
  const rerun = async (event: Event) => {
    event.preventDefault();
    const waiting = [...ids];
    results.value = ids.map((id) => ({ id, said: null }));
    const next = async (): Promise<void> => {
      const id = waiting.shift();
      if (id === undefined) return;
      const said = await changeQuietly('/api/run', { command: `tollgate run ${id}` });
      results.value = results.value.map((each) => (each.id === id ? { id, said } : each));
      return next();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
  };
  return (
    <Dialog title={one ? <Words of={`Rerun ${ids[0]}?`} /> : `Rerun ${counted(ids.length, 'task')}?`} onClose={onClose}>
      <form class="form" onSubmit={rerun}>
        {results.value.length === 0 ? (
          <>
            <p>
              {one ? 'The run continues' : 'Each run continues'} at the first stage that is not done.{' '}
              {callsLeft(undone(ids))}
            </p>
            {!one && <NamesOf of={ids} />}
          </>
        ) : (
          <ul class="rerun-list" aria-live="polite">
            {results.value.map(({ id, said }) => (
              <li key={id}>
                <ResultOf id={id} said={said} />
              </li>
            ))}
          </ul>
        )}
        <div class="buttons">
          {results.value.length === 0 ? (
            <>
              <button type="button" class="button" onClick={onClose}>
                Cancel
              </button>
              <button type="submit" class="button main">
                {one ? 'Rerun it' : `Rerun these ${count(ids.length)}`}
              </button>
            </>
          ) : (
            <button type="button" class="button main" onClick={onClose}>
              {isBusy ? 'Close, and let them start' : 'Close'}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

/** Runs tasks in one process, which checks all of them before it pays for one. */
export function BatchDialog({ ids, onClose }: { ids: readonly string[]; onClose: () => void }) {
  return (
    <Confirm
      title={`Run ${counted(ids.length, 'task')} as a batch?`}
      verb="Run the batch"
      act={() => change('/api/batch/start', { tasks: [...ids] })}
      onClose={onClose}
    >
      <p>
        All are checked before one is paid. They share the CLIs, and have one report in Batches.{' '}
        {callsLeft(undone(ids))}
      </p>
      <NamesOf of={ids} />
    </Confirm>
  );
}

const NamesOf = ({ of }: { of: readonly string[] }) => (
  <ul class="rerun-list">
    {of.map((id) => (
      <li key={id}>
        <Words of={id} />
      </li>
    ))}
  </ul>
);

function ResultOf({ id, said }: Result) {
  if (said === null)
    return (
      <span class="dim">
        <Words of={id} /> is started …
      </span>
    );
  if (typeof said === 'string') return <Words of={said} />;
  return (
    <span class="bad-text">
      <Words of={`${id}: ${said.what}`} />
      {said.wayOut !== null && <Words of={` (${said.wayOut})`} />}
    </span>
  );
}
