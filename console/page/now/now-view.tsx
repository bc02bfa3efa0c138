// Shows what runs now, what is queued or waits for a reset, and what is parked with a question.

import type { NowShown, NowTask } from '../../contract/now.ts';
import type { Resources } from '../../contract/resources.ts';
import { change } from '../live/change.ts';
import { useFollowing } from '../live/follow.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Empty } from '../parts/empty.tsx';
import { count } from '../parts/figures.ts';
import { StateMark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Shown } from '../parts/shown.tsx';
import { Tile } from '../parts/tile.tsx';
import { Ago } from '../parts/times.tsx';
import { useSignal } from '../reactive.ts';
import { to } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { Words } from '../text/words.tsx';
import { Answered, Questions } from './questions.tsx';
import { Running } from './running.tsx';

export function NowView() {
  const now = useFollowing<Resources['/api/now']>('/api/now', (topic) => topic === 'now' || topic === '*');
  return (
    <View title="Now" about="What runs, what waits, and what asks.">
      <Shown of={now} what="what runs now">
        {(shown) => <NowSheet now={shown} />}
      </Shown>
    </View>
  );
}

function NowSheet({ now: { tasks, totals, questions, answered } }: { now: NowShown }) {
  const stopping = useSignal<NowTask | null>(null);
  const running = tasks.filter(({ state }) => state === 'running');
  const waiting = running.filter(({ waits }) => waits !== null);
  const last = tasks.filter(({ state }) => state !== 'running' && state !== 'never_run').slice(0, 12);
  const failed = totals.failed + totals.refused;
  return (
    <>
      <div class="tiles">
        <Tile name="running" figure={count(totals.running)} tone={totals.running > 0 ? 'busy' : 'calm'} />
        <Tile name="waiting" figure={count(waiting.length)} tone={waiting.length > 0 ? 'wait' : 'calm'} />
        <Tile name="questions" figure={count(questions.length)} tone={questions.length > 0 ? 'wait' : 'calm'} />
        <Tile name="failed" figure={count(failed)} tone={failed > 0 ? 'bad' : 'calm'} leads={to('failures')} />
        <Tile name="done" figure={count(totals.done)} leads={`${to('tasks')}?state=done`} />
        <Tile name="tasks in all" figure={count(totals.tasks)} leads={to('tasks')} />
      </div>
      {questions.length > 0 && <Questions of={questions} />}
      {answered.length > 0 && <Answered of={answered} />}
      <Panel title="At work" edge="flush">
        {running.length === 0 ? (
          <Empty title="Nothing runs">tollgate run TASK begins one; it shows here at once.</Empty>
        ) : (
          <Running tasks={running} onStop={(task) => (stopping.value = task)} />
        )}
      </Panel>
      {last.length > 0 && (
        <Panel title="Lately" edge="flush" aside={<a href={to('tasks')}>All tasks</a>}>
          <ul class="lately">
            {last.map(({ task_id: id, state, since, stage, class: errorClass, reason }) => (
              <li key={id}>
                <StateMark state={state} />
                <a href={to('tasks', id)} class="cut">
                  <Words of={id} />
                </a>
                <span class="cut soft">
                  {errorClass && `${stage ?? 'the start'}: ${errorClass}${reason === null ? '' : ` (${reason})`}`}
                </span>
                <span class="dim">
                  <Ago at={since} />
                </span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {stopping.value && <StopDialog task={stopping.value} onClose={() => (stopping.value = null)} />}
    </>
  );
}

function StopDialog({ task, onClose }: { task: NowTask; onClose: () => void }) {
  const id = task.task_id;
  return (
    <Confirm
      title={
        <>
          Stop <Words of={id} />?
        </>
      }
      verb="Stop it"
      tone="grave"
      act={() => change('/api/stop', { task: id })}
      onClose={onClose}
    >
      <p>
        Its run ends as by Ctrl-C: the call under way is ended and written down, with what it has cost so far. What is
        done stays done; tollgate run goes on from there.
      </p>
    </Confirm>
  );
}
