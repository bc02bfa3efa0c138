// Handles the keys of the page: to a place, through the rows of a list, and the buttons that have a key.

import { Dialog } from '../parts/dialog.tsx';
import { signal } from '../reactive.ts';
import { showPalette } from './palette.tsx';
import { go, listedViews, to } from './route.ts';

const isShown = signal(false);
/** How long the page waits for the letter after `g`. */
const PAIR_MS = 1_500;

const KEYS: readonly [string, string][] = [
  ['/', 'to the filter of this view'],
  ['Ctrl-K', 'to a view, a task, a failure or a session'],
  ['?', 'these keys'],
  ['j k ↑ ↓ Home End', 'through the rows of a list'],
  ['r', 'runs the task of this page again, after a question'],
  ['s', 'stops the task of this page, after a question'],
  ['x', 'selects a task of the list'],
  ['Enter', 'opens what has the focus'],
  ['Esc', 'closes a dialog, or empties the filter'],
];

export function followKeys(): void {
  let wentAt = Number.NEGATIVE_INFINITY;
  document.addEventListener('keydown', (event) => {
    const isInDialog = document.querySelector('dialog[open]') !== null;
    if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
      event.preventDefault();
      if (!isInDialog) showPalette();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isInDialog || isWriting(event)) return;
    if (event.key === '/') {
      const filter = document.querySelector<HTMLInputElement>('input[type="search"]');
      if (filter === null) return;
      event.preventDefault();
      filter.focus();
      filter.select();
    } else if (event.key === '?') isShown.value = true;
    else if (event.key === 'g') wentAt = event.timeStamp;
    else if (event.timeStamp - wentAt < PAIR_MS) {
      wentAt = Number.NEGATIVE_INFINITY;
      const view = listedViews().find(({ key }) => key === event.key);
      if (view !== undefined) go(to(view.id));
    } else if (event.key === 'j' || event.key === 'k') moveRow(event.key === 'j' ? 'ArrowDown' : 'ArrowUp');
    else document.querySelector<HTMLElement>(`main [data-key="${CSS.escape(event.key)}"]:enabled`)?.click();
  });
}

/** As the arrow key does for the row that has the focus, or for the first list of the view. */
function moveRow(key: 'ArrowDown' | 'ArrowUp'): void {
  const within = document.activeElement?.closest('.rows')
    ? document.activeElement
    : document.querySelector('main .rows');
  within?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
}

export const showKeys = (): void => {
  isShown.value = true;
};

/** The editor is within a shadow tree, which the target of an event does not show. */
function isWriting(event: KeyboardEvent): boolean {
  const [at] = event.composedPath();
  return at instanceof HTMLElement && (at.isContentEditable || at.matches('input, textarea, select'));
}

export function Keys() {
  if (!isShown.value) return null;
  const close = () => {
    isShown.value = false;
  };
  return (
    <Dialog title="Keys" onClose={close}>
      <dl class="facts keys">
        {[...KEYS, ...listedViews().map(({ key, name }) => [`g ${key}`, `to ${name}`] as [string, string])].map(
          ([key, what]) => (
            <>
              <dt>
                {key.split(' ').map((each) => (
                  <kbd>{each}</kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </>
          ),
        )}
      </dl>
      <div class="buttons">
        <button type="button" class="button main" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
