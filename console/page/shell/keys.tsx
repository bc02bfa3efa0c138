// Handles the keys of the page: `/` for the filter, `?` for this list, `g` and a letter for a view.

import { Dialog } from '../parts/dialog.tsx';
import { signal } from '../reactive.ts';
import { go, to, VIEWS } from './route.ts';

const isShown = signal(false);
let wentAt = 0;
/** How long the page waits for the letter after `g`. */
const PAIR_MS = 1_500;

const KEYS: readonly [string, string][] = [
  ['/', 'to the filter of this view'],
  ['?', 'these keys'],
  ['↑ ↓ Home End', 'through the rows of a list'],
  ['Enter', 'opens what has the focus'],
  ['Esc', 'closes a dialog, or empties the filter'],
];

export function followKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
    if (document.querySelector('dialog[open]') !== null) return;
    if (event.key === '/') {
      const filter = document.querySelector<HTMLInputElement>('input[type="search"]');
      if (filter === null) return;
      event.preventDefault();
      filter.focus();
      filter.select();
    } else if (event.key === '?') isShown.value = true;
    else if (event.key === 'g') wentAt = event.timeStamp;
    else if (event.timeStamp - wentAt < PAIR_MS) {
      wentAt = 0;
      const view = VIEWS.find(({ key }) => key === event.key);
      if (view !== undefined) go(to(view.id));
    }
  });
}

export const showKeys = (): void => {
  isShown.value = true;
};

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select');

export function Keys() {
  if (!isShown.value) return null;
  const close = () => {
    isShown.value = false;
  };
  return (
    <Dialog title="Keys" onClose={close}>
      <dl class="facts keys">
        {[...KEYS, ...VIEWS.map(({ key, name }) => [`g ${key}`, `to ${name}`] as [string, string])].map(
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
