// Draws the title and the icon of the window: the project, the state of its tasks in the colours of the theme, and the view.

import { projectName } from '../live/stream.ts';
import { useEffect } from '../reactive.ts';
import { piecesOf } from '../text/signs.ts';
import { counts } from './rail.tsx';
import { route, VIEWS } from './route.ts';
import { theme } from './theme.tsx';

const MARKS = {
  question: { colour: '--wait', path: 'M22 17v7m0 3v2' },
  failed: { colour: '--bad', path: 'M19 20l6 6m0-6l-6 6' },
  running: { colour: '--busy', path: 'M20 19l6 4-6 4z' },
} as const;

/** A question comes first, because only the user can answer it. */
function stateNow(): keyof typeof MARKS | 'idle' {
  const { now, failures, supervise } = counts.value;
  if (supervise!.n > 0) return 'question';
  if (failures!.n > 0) return 'failed';
  return now!.n > 0 ? 'running' : 'idle';
}

export function Favicon() {
  const state = stateNow();
  const chosen = theme.value;
  useEffect(() => {
    const draw = () => show(state);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    draw();
    return () => scheme.removeEventListener('change', draw);
  }, [state, chosen]);
  return null;
}

function show(state: ReturnType<typeof stateNow>): void {
  let link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link === null) {
    link = document.createElement('link');
    link.rel = 'icon';
    document.head.append(link);
  }
  link.dataset.state = state;
  link.href = `data:image/svg+xml,${encodeURIComponent(drawn(state))}`;
}

function drawn(state: ReturnType<typeof stateNow>): string {
  const gate = `<path d="M5 27V9a11 11 0 0 1 22 0v18M5 16h22" fill="none" stroke="${colourOf('--accent')}" stroke-width="4"/>`;
  const mark =
    state === 'idle'
      ? ''
      : `<circle cx="22" cy="23" r="9" fill="${colourOf(MARKS[state].colour)}"/><path d="${MARKS[state].path}" fill="none" stroke="${colourOf('--ground')}" stroke-width="2.5"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${gate}${mark}</svg>`;
}

/** A custom property holds `light-dark(…)`; only as the colour of an element does the browser choose one of the two. */
function colourOf(name: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** A component of its own: a changed count renders no view again. */
export function Title() {
  const [id = 'now', of] = route.value.parts;
  const view = VIEWS.find((each) => each.id === id)?.name ?? 'No such view';
  const states = Object.values(counts.value)
    .filter(({ n }) => n > 0)
    .map(({ n, what }) => `${n} ${what}`)
    .join(', ');
  const parts = [projectName.value, states, of, view, 'Tollgate'].filter((part) => part);
  document.title = piecesOf(parts.join(' · '))
    .map((piece) => ('text' in piece ? piece.text : piece.sign))
    .join('');
  return null;
}
