// Renders the rail beside all views: the current view, the other views, the theme, and whether the page is still live.

import { linkState, place, projectName } from '../live/stream.ts';
import { Icon } from '../parts/icon.tsx';
import { computed, effect, signal, useEffect, useSignal } from '../reactive.ts';
import { countStates, everyLine, needsWords, needsYou, signedOut, taskList } from '../tasks/task-list.ts';
import { Words } from '../text/words.tsx';
import { showKeys } from './keys.tsx';
import { Notifications } from './notify.tsx';
import { showPalette } from './palette.tsx';
import { listedViews, route, to } from './route.ts';

export function Rail() {
  const current = route.value.parts[0] ?? 'now';
  const isOpen = useSignal(false);
  // The menu of a narrow window leads somewhere, and is done.
  useEffect(() => {
    isOpen.value = false;
  }, [route.value]);
  return (
    <header class={`rail ${isOpen.value ? 'open' : ''}`}>
      <div class="brand">
        <Icon name="gate" />
        <span title={place.value}>
          <Words of={projectName.value || 'Tollgate'} />
          {projectName.value !== '' && <small class="dim">Tollgate</small>}
        </span>
      </div>
      <button
        type="button"
        class="button small menu"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        Menu
      </button>
      <nav aria-label="Views">
        <a class="button new-task" href={to('new')} aria-current={current === 'new' ? 'page' : undefined}>
          <Icon name="new" />
          New task
        </a>
        <ul class="views">
          {PLACES.value.map(({ id, name }) => (
            <li key={id} class={FIRST.includes(id) || id === current ? 'first' : ''}>
              <a href={to(id)} aria-current={id === current ? 'page' : undefined}>
                <Icon name={id} />
                {name}
                <Count of={id} />
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="rail-foot">
        <LinkState />
        <details class="settings">
          <summary>Settings</summary>
          <Theme />
          <Notifications />
        </details>
        <div class="buttons">
          <button type="button" class="button small quiet" onClick={showPalette}>
            Go to <kbd>Ctrl K</kbd>
          </button>
          <button type="button" class="button small quiet" onClick={showKeys}>
            Keys <kbd>?</kbd>
          </button>
        </div>
      </div>
    </header>
  );
}

/** To begin a task is an action, with a button of its own. */
const PLACES = computed(() => listedViews().filter(({ id }) => id !== 'new'));

/** What a narrow window shows while its menu is closed, with the current view. */
const FIRST: readonly string[] = ['now', 'tasks', 'failures'];

function Count({ of }: { of: string }) {
  const counted = counts.value[of];
  if (counted === undefined || counted.n === 0) return null;
  const what = `${counted.what}${areOld.value ? ', as it was before' : ''}`;
  return (
    <span class={`count ${of} ${areOld.value ? 'old' : ''}`} title={`${counted.n} ${what}`}>
      {counted.n}
      <span class="unseen"> {what}</span>
    </span>
  );
}

function LinkState() {
  const link = linkState.value.how;
  const how = link === 'live' && areOld.value ? 'behind' : link;
  const words = { live: 'Live', behind: 'Not up to date', trying: 'Reconnecting …', gone: 'Not connected' }[how];
  return (
    <span class={`link-state ${how}`} role="status">
      {words}
    </span>
  );
}

/** What is shown beside the name of a view. */
export const counts = computed<Readonly<Record<string, { n: number; what: string }>>>(() => {
  const states = countStates(everyLine());
  const of = (state: string) => states.get(state) ?? 0;
  const needing = everyLine().filter(needsYou);
  return {
    now: { n: needing.length, what: `${needing.length === 1 ? 'needs' : 'need'} you: ${needsWords(needing)}` },
    failures: { n: of('failed') + of('refused'), what: 'failed' },
    supervise: { n: of('parked'), what: 'asking you' },
    machine: { n: signedOut.value.length, what: 'without a sign-in' },
  };
});

export const runningCount = computed(() => countStates(everyLine()).get('running') ?? 0);

/** The counts are out of date: the list cannot be refreshed, or no changes arrive. */
const areOld = computed(() => taskList.problem.value !== null || linkState.value.how !== 'live');

const THEMES = ['system', 'light', 'dark'] as const;
const KEY = 'tollgate theme';

export const theme = signal<(typeof THEMES)[number]>(storedTheme());

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});

function Theme() {
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
