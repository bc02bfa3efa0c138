// Finds a view, a task, a failure or a session by words of its name, and goes there: Ctrl-K.

import type { Resources } from '../../contract/resources.ts';
import { read } from '../live/requests.ts';
import { Dialog } from '../parts/dialog.tsx';
import { signal, useEffect, useId, useSignal } from '../reactive.ts';
import { everyLine } from '../tasks/task-list.ts';
import { Words } from '../text/words.tsx';
import { go, listedViews, to } from './route.ts';

interface Place {
  kind: 'view' | 'task' | 'failure' | 'session';
  name: string;
  about: string;
  address: string;
}

const isShown = signal(false);

export const showPalette = (): void => {
  isShown.value = true;
};

/** As many as fit without scrolling. */
const MOST = 12;

export function Palette() {
  return isShown.value ? <OpenPalette /> : null;
}

function OpenPalette() {
  const words = useSignal('');
  const chosen = useSignal(0);
  const others = useSignal<readonly Place[]>([]);
  const list = useId();
  useEffect(() => {
    const stop = new AbortController();
    void Promise.all([sessionPlaces(stop.signal), failurePlaces(stop.signal)]).then((found) => {
      others.value = found.flat();
    });
    return () => stop.abort();
  }, []);
  const close = () => {
    isShown.value = false;
  };
  const found = matching([...viewPlaces(), ...taskPlaces(), ...others.value], words.value);
  const at = Math.min(chosen.value, Math.max(0, found.length - 1));
  const open = (place: Place | undefined) => {
    if (place === undefined) return;
    close();
    go(place.address);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) chosen.value = Math.max(0, Math.min(found.length - 1, at + step));
    else if (event.key === 'Enter') open(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={close}>
      <input
        class="input"
        role="combobox"
        aria-label="Find a view, a task, a failure or a session"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={found.length === 0 ? undefined : `${list}-${at}`}
        placeholder="Words of its name"
        value={words.value}
        onInput={(event) => {
          words.value = event.currentTarget.value;
          chosen.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <div id={list} class="places" role="listbox" aria-label="Found">
        {found.map((place, nth) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus, and names the chosen option
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
          <div
            key={`${place.kind} ${place.address} ${place.name}`}
            id={`${list}-${nth}`}
            role="option"
            aria-selected={nth === at}
            onClick={() => open(place)}
          >
            <span class="dim">{place.kind}</span>
            <b class="cut">
              <Words of={place.name} />
            </b>
            <span class="dim cut">
              <Words of={place.about} />
            </span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="dim">Nothing has these words.</p>}
    </Dialog>
  );
}

/** The first places that contain each word. */
function matching(places: readonly Place[], text: string): Place[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found: Place[] = [];
  for (const place of places) {
    const within = `${place.kind} ${place.name} ${place.about}`.toLowerCase();
    if (words.every((word) => within.includes(word))) found.push(place);
    if (found.length === MOST) break;
  }
  return found;
}

const viewPlaces = (): Place[] =>
  listedViews().map(({ id, name }) => ({ kind: 'view', name, about: '', address: to(id) }));

const taskPlaces = (): Place[] =>
  everyLine().map(({ task_id: id, state, goal }) => ({
    kind: 'task',
    name: id,
    about: [state.replaceAll('_', ' '), goal].filter((part) => part).join(', '),
    address: to('tasks', id),
  }));

/** None if they cannot be read: the view of the sessions says why. */
async function sessionPlaces(stop: AbortSignal): Promise<Place[]> {
  const answered = await read<Resources['/api/sessions']>('/api/sessions', stop);
  if (answered.how === 'failed') return [];
  return answered.value.sessions.map(({ tag, goal, tool, session_id: id }) => ({
    kind: 'session',
    name: tag,
    about: [tool, goal].filter((part) => part).join(', '),
    address: to('sessions', id),
  }));
}

async function failurePlaces(stop: AbortSignal): Promise<Place[]> {
  const answered = await read<Resources['/api/failures']>('/api/failures', stop);
  if (answered.how === 'failed') return [];
  return answered.value.groups.map(({ class: errorClass, reason, sentence, task_ids: [task] }) => ({
    kind: 'failure',
    name: sentence ?? `${errorClass} (${reason})`,
    about: `${errorClass ?? ''} ${task ?? ''}`,
    address: task === undefined ? to('failures') : to('tasks', task),
  }));
}
