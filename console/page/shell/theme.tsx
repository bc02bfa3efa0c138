// Chooses the theme of the page: that of the system, light or dark. The browser stores the choice.

import { effect, signal } from '../reactive.ts';

const THEMES = ['system', 'light', 'dark'] as const;
const KEY = 'tollgate theme';

export const theme = signal<(typeof THEMES)[number]>(storedTheme());

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});

export function Theme() {
  return (
    <label class="theme">
      <b>Theme</b>
      <select
        class="input"
        value={theme.value}
        onChange={({ currentTarget }) => {
          theme.value = THEMES.find((each) => each === currentTarget.value) ?? 'system';
          store(theme.value);
        }}
      >
        {THEMES.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A browser may refuse access to its storage. */
function storedTheme(): (typeof THEMES)[number] {
  try {
    return THEMES.find((each) => each === localStorage.getItem(KEY)) ?? 'system';
  } catch {
    return 'system';
  }
}

function store(chosen: string): void {
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // The choice then lasts as long as the page.
  }
}
