// Receives the one stream of changes, opens it again after an interruption, and holds the state of the connection.

import type { ChangeTold, TasksChange, Topic } from '../../contract/page.ts';
import { computed, signal } from '../reactive.ts';
import { tellProblem } from '../shell/notes.tsx';
import { againBy, refusalOf } from './requests.ts';

/** The state of the connection to the server: whether changes arrive, and whose tasks they are. */
type Link =
  | { how: 'live' }
  /** The server answers, but cannot follow the changes. */
  | { how: 'behind'; what: string; wayOut: string }
  /** The stream was interrupted, and is requested again. */
  | { how: 'trying' }
  /** No server answers, or the server does not know this browser. */
  | { how: 'gone'; what: string; wayOut: string | null };

export const linkState = signal<Link>({ how: 'trying' });

/** ISO time of the next automatic request for the stream; null while the stream is open or requested. */
export const linkAgainAt = signal<string | null>(null);

/** The folder of the tasks. */
export const place = signal('');

/** Whether the console was started with the database of a fleet. */
export const hasFleet = signal(false);

/** The last part of the project's folder, which has the tasks in `.tmp`. */
export const projectName = computed(
  () => place.value.split(/[\\/]/).findLast((part) => part !== '' && part !== '.tmp') ?? '',
);

/** `id` null: the change concerns everything of the topic. */
type Listener = (topic: Topic, id: string | null, change: TasksChange | null) => void;

const PATH = '/api/events';
const listeners = new Set<Listener>();

export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const behind = (trouble: string) =>
  ({
    how: 'behind',
    what: `What changes is not shown just now: ${trouble}.`,
    wayOut: 'It is tried again by itself. What the views show was true when they were opened.',
  }) as const;

function notify(topic: Topic, id: string | null, change: TasksChange | null): void {
  for (const listener of listeners) listener(topic, id, change);
}

/** Opens the stream now, even if a later attempt is scheduled. */
export const openStream = createOpener();

function createOpener(): () => void {
  let wasAsked = false;
  let source: EventSource | null = null;
  /** After the first interruption the stream is requested again before the page reports that no server answers. */
  let failures = 0;
  const again = againBy(open, linkAgainAt);
  return open;

  function open(): void {
    source?.close();
    const opened = new EventSource(PATH);
    source = opened;
    opened.onopen = () => {
      failures = 0;
      again.rest();
      linkState.value = { how: 'live' };
      wasAsked = true;
      // The changes that happened meanwhile were missed.
      notify('*', null, null);
    };
    opened.onmessage = ({ data }) => {
      const { topic, id = null, change = null, trouble = null, refusal = null } = JSON.parse(data) as ChangeTold;
      if (refusal !== null) return tellProblem({ what: refusal.message, wayOut: refusal.way_out ?? null });
      if (topic === '*') linkState.value = trouble === null ? { how: 'live' } : behind(trouble);
      if (trouble === null) notify(topic, id, change);
    };
    opened.onerror = () => {
      // The page decides when to request the stream again, not the browser.
      opened.close();
      if (source !== opened) return;
      if (linkState.value.how !== 'gone') linkState.value = { how: 'trying' };
      // Without a stream the page shows at least the current state.
      if (!wasAsked) notify('*', null, null);
      wasAsked = true;
      failures += 1;
      again.later();
      if (failures > 1 || linkState.value.how === 'gone') void sayWhy(opened);
    };
  }

  /** A stream does not report why it is refused. */
  async function sayWhy(of: EventSource): Promise<void> {
    const refusal = await refusalOf(PATH);
    if (refusal !== null && source === of)
      linkState.value = { how: 'gone', what: refusal.what, wayOut: refusal.wayOut };
  }
}
