// Maps the keys of tollgate watch to a new view, and to what is to be done. It does nothing itself.

/** What the user chose on the page. */
interface WatchView {
  /** The task to which the keys apply; null before the first key. */
  selected: string | null;
  /** Only tasks whose id contains it are shown. */
  filter: string;
  mode: 'tasks' | 'filter' | 'confirm' | 'pane';
  /** Lines that a pane is scrolled back from its end. */
  back: number;
  message: string;
}

export const FIRST_VIEW: WatchView = { selected: null, filter: '', mode: 'tasks', back: 0, message: '' };

type Act = 'leave' | 'interrupt' | 'stop' | 'log' | 'summary' | 'close';

const UP = '\u001b[A';
const DOWN = '\u001b[B';
const ESCAPE = '\u001b';
const CTRL_C = '\u0003';

/** Several keys may arrive at once. */
export const keysIn = (text: string): string[] => text.match(/\u001b\[[A-Z]|[\s\S]/gu) ?? [];

/** @param ids the shown tasks, in their order. */
export function pressed(before: WatchView, key: string, ids: readonly string[]): { view: WatchView; act?: Act } {
  const view = { ...before, message: '' };
  if (key === CTRL_C) return { view, act: 'interrupt' };
  const move = key === DOWN || key === 'j' ? 1 : key === UP || key === 'k' ? -1 : 0;
  switch (view.mode) {
    case 'filter':
      return { view: filtered(view, key) };
    case 'confirm':
      return { view: { ...view, mode: 'tasks' }, ...(key === 'y' ? { act: 'stop' } : {}) };
    case 'pane':
      if (move !== 0) return { view: { ...view, back: Math.max(0, view.back - move) } };
      return /[qQ]/.test(key) || key === ESCAPE ? { view: { ...view, mode: 'tasks' }, act: 'close' } : { view };
    case 'tasks':
      break;
  }
  const at = view.selected === null ? -1 : ids.indexOf(view.selected);
  if (move !== 0) return { view: { ...view, selected: ids[Math.min(ids.length - 1, Math.max(0, at + move))] ?? null } };
  if (/[qQ]/.test(key)) return { view, act: 'leave' };
  if (key === '/') return { view: { ...view, mode: 'filter' } };
  if (key === ESCAPE) return { view: { ...view, filter: '', selected: null } };
  if (!['s', 'l', 'o', '\r'].includes(key)) return { view };
  const selected = at === -1 ? (ids[0] ?? null) : view.selected;
  if (selected === null) return { view: { ...view, message: 'no task is shown' } };
  const chosen = { ...view, selected, back: 0 };
  if (key === 's') return { view: { ...chosen, mode: 'confirm' } };
  return { view: { ...chosen, mode: 'pane' }, act: key === 'l' ? 'log' : 'summary' };
}

function filtered(view: WatchView, key: string): WatchView {
  if (key === '\r') return { ...view, mode: 'tasks' };
  if (key === ESCAPE) return { ...view, mode: 'tasks', filter: '' };
  if (key === '\u007f' || key === '\b') return { ...view, filter: [...view.filter].slice(0, -1).join('') };
  return /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(key) ? { ...view, filter: view.filter + key, selected: null } : view;
}

/** The last line of the page. */
export function keysLine({ selected, filter, mode, message }: WatchView): string {
  if (message !== '') return message;
  if (mode === 'filter') return `filter: ${filter}_  (Enter keeps it, Esc removes it)`;
  if (mode === 'confirm') return `stop ${selected}? y stops it, with everything saved; any other key does not`;
  if (mode === 'pane') return 'j k scroll, q goes back';
  const kept = filter === '' ? '' : ` (filter: ${filter})`;
  return `q quits, j k choose, s stop, l log, o open, / filter${kept}`;
}
