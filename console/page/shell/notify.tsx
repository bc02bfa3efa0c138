// Tells failures and questions by notifications of the browser, if the user has switched them on, while the page is hidden.

import { effect, signal } from '../reactive.ts';
import { everyLine } from '../tasks/task-list.ts';
import { plain } from '../text/signs.ts';
import { to } from './route.ts';

const KEY = 'tollgate notifications';

type Permission = 'on' | 'off' | 'blocked' | 'missing';

const state = signal<Permission>(storedState());

/** Asks for the permission only here, on a click. */
async function toggle(): Promise<void> {
  if (state.value === 'on') {
    state.value = 'off';
  } else {
    const given = await Notification.requestPermission();
    state.value = given === 'granted' ? 'on' : given === 'denied' ? 'blocked' : 'off';
  }
  store(state.value === 'on' ? 'on' : 'off');
}

export function Notifications() {
  const how = state.value;
  if (how === 'missing') return null;
  return (
    <label class="theme">
      <input type="checkbox" checked={how === 'on'} disabled={how === 'blocked'} onChange={() => void toggle()} />
      <b>Notifications</b>
      {how === 'blocked' && <small class="dim">blocked by the browser</small>}
    </label>
  );
}

/** Begins when the list of tasks has arrived: what had failed before is not news, also after a reload. */
export function followNews(): void {
  let known: Set<string> | null = null;
  effect(() => {
    const news = everyLine().filter(({ state: is }) => is === 'failed' || is === 'refused' || is === 'parked');
    // Nothing is known before the list has arrived.
    if (everyLine().length === 0 && known === null) return;
    const keys = news.map((line) => `${line.task_id} ${line.state} ${line.at}`);
    const before = known ?? new Set(keys);
    known = new Set(keys);
    const fresh = news.filter((_, nth) => !before.has(keys[nth]!));
    if (state.value !== 'on' || !document.hidden) return;
    for (const { task_id: id, state: is, goal } of fresh)
      tell(is === 'parked' ? `${id} asks a question` : `${id} failed`, goal ?? '', to('tasks', id));
  });
}

function tell(title: string, body: string, address: string): void {
  const told = new Notification(plain(title), { body: plain(body), tag: address });
  told.onclick = () => {
    window.focus();
    location.hash = address;
    told.close();
  };
}

function storedState(): Permission {
  if (!('Notification' in window)) return 'missing';
  if (Notification.permission === 'denied') return 'blocked';
  return Notification.permission === 'granted' && stored() === 'on' ? 'on' : 'off';
}

/** A browser may refuse access to its storage. */
function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function store(chosen: 'on' | 'off'): void {
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // The choice then lasts as long as the page.
  }
}
