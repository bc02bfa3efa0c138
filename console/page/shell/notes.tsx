// Announces in the corner, and to screen readers, a change that was made, or why it was not.

import { Icon } from '../parts/icon.tsx';
import { signal } from '../reactive.ts';
import { Words } from '../text/words.tsx';

interface Note {
  id: number;
  tone: 'good' | 'bad';
  what: string;
  wayOut: string | null;
}

const notes = signal<readonly Note[]>([]);
const MOST = 4;
/** Bad news stays until the user dismisses it. */
const GOOD_NEWS_MS = 6_000;
/** How many notes were added, for their ids. */
const added = signal(0);

export function tellDone(what: string): void {
  const id = addNote({ tone: 'good', what, wayOut: null });
  setTimeout(() => close(id), GOOD_NEWS_MS);
}

export function tellProblem({ what, wayOut }: { what: string; wayOut: string | null }): void {
  addNote({ tone: 'bad', what, wayOut });
}

/** The same news again replaces the earlier note. */
function addNote(note: Omit<Note, 'id'>): number {
  const id = added.peek() + 1;
  added.value = id;
  const others = notes.value.filter(({ what, wayOut }) => what !== note.what || wayOut !== note.wayOut);
  notes.value = [...others, { id, ...note }].slice(-MOST);
  return id;
}

function close(id: number): void {
  notes.value = notes.value.filter((note) => note.id !== id);
}

export function Notes() {
  return (
    <section class="notes" aria-label="What has just happened" aria-live="polite">
      {notes.value.map(({ id, tone, what, wayOut }) => (
        <div key={id} class={`notice ${tone}`}>
          <div class="note-head">
            <b>
              <Words of={what} />
            </b>
            <button type="button" class="button small" aria-label="Dismiss" onClick={() => close(id)}>
              <span class="note-cross">
                <Icon name="failed" />
              </span>
            </button>
          </div>
          {wayOut && (
            <p class="soft">
              <Words of={wayOut} />
            </p>
          )}
        </div>
      ))}
    </section>
  );
}
