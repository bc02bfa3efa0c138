// The one stream of changes: asked for again when it breaks off, and told to whoever follows something.

import type { ChangeTold, TasksChange, Topic } from '../../contract/page.ts';
import { read } from './ask.ts';
import { linkState } from './link.ts';

/** `id` null: of all of that topic. */
type Listener = (topic: Topic, id: string | null, change: TasksChange | null) => void;

const listeners = new Set<Listener>();
let wasAsked = false;
/** Before it is said that nobody answers. */
const PATIENCE_MS = 2_500;
const AGAIN_MS = 1_500;

export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function openStream(): void {
  const source = new EventSource('/api/events');
  let lost: ReturnType<typeof setTimeout> | undefined;
  source.onopen = () => {
    clearTimeout(lost);
    lost = undefined;
    linkState.value = { how: 'live' };
    wasAsked = true;
    // Whatever happened meanwhile was missed.
    tell('*', null, null);
  };
  source.onmessage = ({ data }) => {
    const { topic, id = null, change = null, trouble = null } = JSON.parse(data) as ChangeTold;
    if (topic === '*') linkState.value = trouble === null ? { how: 'live' } : behind(trouble);
    if (trouble === null) tell(topic, id, change);
  };
  source.onerror = () => {
    if (linkState.value.how === 'live' || linkState.value.how === 'behind') linkState.value = { how: 'trying' };
    // Without a stream the page shows at least how it stands.
    if (!wasAsked) tell('*', null, null);
    wasAsked = true;
    lost ??= setTimeout(sayWhy, PATIENCE_MS);
    if (source.readyState !== EventSource.CLOSED) return;
    clearTimeout(lost);
    void sayWhy();
    setTimeout(openStream, AGAIN_MS);
  };
}

const behind = (trouble: string) =>
  ({
    how: 'behind',
    what: `What changes is not shown just now: ${trouble}.`,
    wayOut: 'It is tried again by itself. What the views show was true when they were opened.',
  }) as const;

function tell(topic: Topic, id: string | null, change: TasksChange | null): void {
  for (const listener of listeners) listener(topic, id, change);
}

/** A stream does not say why it is refused. */
async function sayWhy(): Promise<void> {
  const answered = await read('/api/page');
  if (answered.how === 'ok') return;
  const { what, wayOut } = answered.problem;
  linkState.value = { how: 'gone', what, wayOut: wayOut ?? '' };
}
