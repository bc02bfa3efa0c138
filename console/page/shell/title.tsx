// Keeps the title of the window: the project, the state of its tasks, and the current view.

import { projectName } from '../live/stream.ts';
import { piecesOf } from '../text/signs.ts';
import { counts } from './rail.tsx';
import { route, VIEWS } from './route.ts';

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
