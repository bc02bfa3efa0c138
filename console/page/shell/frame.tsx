// Renders the frame of all views: the rail, the problems of the connection, the view, and the recent notes.

import { BudgetsView } from '../budgets/budgets-view.tsx';
import { BookView } from '../distill/book-view.tsx';
import { DistillView } from '../distill/distill-view.tsx';
import { FailuresView } from '../failures/failures-view.tsx';
import { linkAgainAt, linkState, openStream } from '../live/stream.ts';
import { MachineView } from '../machine/machine-view.tsx';
import { NowView } from '../now/now-view.tsx';
import { AskedAgain, Empty, TroubleNotice } from '../parts/shown.tsx';
import { SessionView } from '../sessions/session-view.tsx';
import { SessionsView } from '../sessions/sessions-view.tsx';
import { SuperviseView } from '../supervise/supervise-view.tsx';
import { TaskView } from '../tasks/task-view.tsx';
import { TasksView } from '../tasks/tasks-view.tsx';
import { Favicon, Title } from './favicon.tsx';
import { Keys } from './keys.tsx';
import { Notes } from './notes.tsx';
import { Palette } from './palette.tsx';
import { Rail } from './rail.tsx';
import { route } from './route.ts';
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
      return of === undefined ? <TasksView /> : <TaskView key={of} id={of} tab={part ?? ''} />;
    case 'failures':
      return <FailuresView />;
    case 'budgets':
      return <BudgetsView />;
    case 'sessions':
      return of === undefined ? <SessionsView /> : <SessionView key={of} id={of} />;
    case 'supervise':
      return <SuperviseView key={of} id={of} />;
    case 'distill':
      return of === undefined ? <DistillView /> : <BookView key={of} name={of} />;
    case 'machine':
      return <MachineView />;
    default:
      return (
        <View title="No such view">
          <Empty title="Nothing is here">The views are in the rail.</Empty>
        </View>
      );
  }
}

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
