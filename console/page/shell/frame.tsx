// Renders the frame of all views: the rail, the connection's problems, the view and recent notes; and the title and icon of the window.

import { BatchView } from '../batch/batch-view.tsx';
import { BatchesView } from '../batch/batches-view.tsx';
import { BudgetsView } from '../budgets/budgets-view.tsx';
import { ComparisonsView, ComparisonView } from '../compare/compare-view.tsx';
import { BookView } from '../distill/book-view.tsx';
import { DistillView } from '../distill/distill-view.tsx';
import { FailuresView } from '../failures/failures-view.tsx';
import { FleetView } from '../fleet/fleet-view.tsx';
import { hasFleet, linkAgainAt, linkState, openStream, projectName } from '../live/stream.ts';
import { MachineView } from '../machine/machine-view.tsx';
import { NowView } from '../now/now-view.tsx';
import { AskedAgain, Empty, TroubleNotice } from '../parts/shown.tsx';
import { useEffect } from '../reactive.ts';
import { SessionView } from '../sessions/session-view.tsx';
import { SessionsView } from '../sessions/sessions-view.tsx';
import { SuperviseView } from '../supervise/supervise-view.tsx';
import { NewTaskView } from '../tasks/new-task.tsx';
import { TaskView } from '../tasks/task-view.tsx';
import { TasksView } from '../tasks/tasks-view.tsx';
import { plain } from '../text/signs.ts';
import { Keys } from './keys.tsx';
import { Notes } from './notes.tsx';
import { Palette } from './palette.tsx';
import { counts, Rail, runningCount, theme } from './rail.tsx';
import { listedViews, route } from './route.ts';
import { View } from './view.tsx';

export function Frame() {
  return (
    <>
      <Title />
      <Favicon />
      <button type="button" class="skip" onClick={toView}>
        Skip to the view
      </button>
      <div class="frame">
        <Rail />
        <main id="view" class="view" tabIndex={-1}>
          <LinkNotice />
          <Shown />
        </main>
      </div>
      <Notes />
      <Keys />
      <Palette />
    </>
  );
}

function Shown() {
  const [id = 'now', of, part] = route.value.parts;
  switch (id) {
    case 'now':
      return <NowView />;
    case 'tasks':
      return of === undefined ? <TasksView /> : <TaskView key={of} view="tasks" id={of} tab={part ?? ''} />;
    case 'new':
      return <NewTaskView />;
    case 'compare':
      return of === undefined ? <ComparisonsView /> : <ComparisonView key={of} id={of} />;
    case 'failures':
      return <FailuresView />;
    case 'budgets':
      return <BudgetsView />;
    case 'sessions':
      return of === undefined ? <SessionsView /> : <SessionView key={of} id={of} />;
    case 'supervise':
      return of === undefined ? <SuperviseView /> : <TaskView key={of} view="supervise" id={of} tab={part ?? ''} />;
    case 'batch':
      return of === undefined ? <BatchesView /> : <BatchView key={of} id={of} />;
    case 'distill':
      return of === undefined ? <DistillView /> : <BookView key={of} name={of} />;
    case 'machine':
      return <MachineView />;
    case 'fleet':
      return hasFleet.value ? <FleetView /> : <NoView />;
    default:
      return <NoView />;
  }
}

const NoView = () => (
  <View title="No such view">
    <Empty title="Nothing is here">The views are in the rail.</Empty>
  </View>
);

function toView(): void {
  document.querySelector<HTMLElement>('#view')?.focus();
}

function LinkNotice() {
  const link = linkState.value;
  if (link.how !== 'gone' && link.how !== 'behind') return null;
  return (
    <TroubleNotice of={link}>
      {link.how === 'gone' && (
        <div class="buttons">
          <button type="button" class="button small" onClick={openStream}>
            Try now
          </button>
          <AskedAgain at={linkAgainAt.value} />
        </div>
      )}
    </TroubleNotice>
  );
}

const MARKS = {
  question: { colour: '--wait', path: 'M22 17v7m0 3v2' },
  failed: { colour: '--bad', path: 'M19 20l6 6m0-6l-6 6' },
  running: { colour: '--busy', path: 'M20 19l6 4-6 4z' },
} as const;

/** A question comes first, because only the user can answer it. */
function stateNow(): keyof typeof MARKS | 'idle' {
  const { failures, supervise } = counts.value;
  if (supervise!.n > 0) return 'question';
  if (failures!.n > 0) return 'failed';
  return runningCount.value > 0 ? 'running' : 'idle';
}

function Favicon() {
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
function Title() {
  const [id = 'now', of] = route.value.parts;
  const view = listedViews().find((each) => each.id === id)?.name ?? 'No such view';
  const { failures, supervise } = counts.value;
  const states = [{ n: runningCount.value, what: 'running' }, failures!, supervise!]
    .filter(({ n }) => n > 0)
    .map(({ n, what }) => `${n} ${what}`)
    .join(', ');
  const parts = [projectName.value, states, of, view, 'Tollgate'].filter((part) => part);
  document.title = plain(parts.join(' · '));
  return null;
}
