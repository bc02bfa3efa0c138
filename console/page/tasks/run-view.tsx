// Shows the run of a task: why it failed and what to do, its stages over time, the chosen attempt, and what runs now.

import type { TaskShown } from '../../contract/task.ts';
import { StillRuns } from '../now/now-view.tsx';
import { QuestionOf } from '../now/questions.tsx';
import { ActionList, goesOn } from '../parts/actions.tsx';
import { ClassMark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Empty } from '../parts/shown.tsx';
import { Ago } from '../parts/times.tsx';
import { useRef, useSignal } from '../reactive.ts';
import { to } from '../shell/route.ts';
import { Supervision } from '../supervise/supervise-view.tsx';
import { Quote, Words } from '../text/words.tsx';
import { AttemptPanel } from './attempts.tsx';
import { LiveTail } from './live-tail.tsx';
import { TextsOf } from './raw.tsx';
import { signedOutOf } from './task-list.ts';
import { REASONER, Timeline } from './timeline.tsx';

export function RunView({ of, busy }: { of: TaskShown; busy: string | null }) {
  const chosen = useSignal<string | null>(null);
  const { attempts, stages, failure, supervision, state } = of;
  // The field below answers the question: the words for a terminal would say it twice.
  const next = of.next_actions.filter(({ command }) => state !== 'parked' || command !== undefined);
  const again = goesOn(next);
  const steps = (
    <ActionList
      of={next}
      busy={busy}
      failedAt={of.at}
      elsewhere={again}
      manifest={to('tasks', of.task_id, 'manifest')}
      hasMain={signedOutOf([of.task_id]).length === 0 && of.left_running !== true}
    />
  );
  // The log of a run stays after its end, and that of the next run replaces it.
  const runs = useRef({ seen: 0, isRunning: false });
  if (state === 'running' && !runs.current.isRunning) runs.current.seen += 1;
  runs.current.isRunning = state === 'running';
  const shown =
    attempts.find(({ call_id: id }) => id === chosen.value) ??
    attempts.findLast(({ stage }) => stage === (state === 'parked' ? REASONER : failure?.stage)) ??
    attempts.at(-1);
  // Of one that is under way nothing is known yet beside its log. What a finished task has answered comes first.
  const attempt = shown && shown.ending !== null && <AttemptPanel task={of} of={shown} busy={busy} />;
  const said = of.texts.filter(({ name, what }) => what === 'answer' && name.startsWith('outputs/worker.'));
  return (
    <div class="stack">
      {failure && (
        <section class={`panel failure ${state === 'interrupted' ? 'waits' : ''}`} aria-label="Why it failed">
          <p class="sentence">
            <Words of={failure.sentence} />
          </p>
          <p class="dim">
            <ClassMark class={failure.class} reason={failure.reason} />{' '}
            {failure.stage === null ? 'before the first stage' : <Words of={`in ${failure.stage}`} />}
          </p>
          {failure.evidence && <Quote of={failure.evidence} label="Evidence" as="code" />}
          {steps}
        </section>
      )}
      {failure === null && state === 'interrupted' && (
        <section class="panel failure waits" aria-label="How it ended">
          {of.left_running && <StillRuns tool={attempts.findLast(({ ending }) => ending === 'lost')?.tool} isMain />}
          <p class={of.left_running ? '' : 'sentence'}>The process of the run ended before the task was finished.</p>
          <Interrupted call={attempts.findLast(({ ending }) => ending === 'lost')} isRunning={of.left_running} />
          {steps}
        </section>
      )}
      {of.lacks.length > 0 && (
        <section class="panel failure waits" aria-label="What is missing">
          <p class="sentence">The task is done, but something is missing.</p>
          <ul>
            {of.lacks.map((lack) => (
              <li key={lack}>
                <Words of={lack} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {failure === null && state !== 'interrupted' && next.some((action) => action !== again) && (
        <Panel title="Next">{steps}</Panel>
      )}
      {state === 'parked' && <QuestionOf task={of.task_id} />}
      {state === 'parked' && said.length > 0 && (
        <Panel title="What the worker answered before the question">
          <TextsOf task={of.task_id} of={said} opens="answer" />
        </Panel>
      )}
      {supervision && <Supervision of={supervision} goal={of.goal} />}
      {state === 'done' && attempt}
      {stages.length === 0 ? (
        <Empty title="No stage was called yet" />
      ) : (
        <Timeline of={of} chosen={shown?.call_id ?? null} onChoose={(id) => (chosen.value = id)} />
      )}
      {of.asks !== null && <Asks of={of.asks} />}
      {runs.current.seen > 0 && <LiveTail key={runs.current.seen} task={of.task_id} />}
      {state !== 'done' && attempt}
    </div>
  );
}

/** What a first run works on, beside the goal. */
function Asks({ of: { commands, criteria, allow, deny } }: { of: NonNullable<TaskShown['asks']> }) {
  const rows: [string, readonly string[], string][] = [
    ['Criteria', criteria, 'none'],
    ['Acceptance commands', commands, 'none'],
    ['May change', allow, 'everything'],
    ['May not change', deny, 'no further limit'],
  ];
  return (
    <Panel title="What its prompts ask for, beside the goal">
      <dl class="facts">
        {rows.map(([name, values, none]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {values.length === 0 ? (
                <span class="dim">{none}</span>
              ) : (
                values.map((each, nth) => <Line key={`${nth} ${each}`} of={each} />)
              )}
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

const Line = ({ of }: { of: string }) => (
  <p>
    <Words of={of} />
  </p>
);

interface InterruptedProps {
  /** The one that has no result yet; undefined if none was open. */
  call: TaskShown['attempts'][number] | undefined;
  /** Whether its CLI still runs; null if that is not known. */
  isRunning: boolean | null;
}

function Interrupted({ call, isRunning }: InterruptedProps) {
  if (call === undefined) return <p class="dim">No call was open. Finished stages stay finished.</p>;
  return (
    <p class="dim">
      <Words of={call.stage} />: the call of <Words of={call.tool} /> that began <Ago at={call.at} /> has no result yet.
      The next run reads what it wrote. Finished stages stay finished.{' '}
      {isRunning === false && 'No process of it runs any more.'}
      {isRunning === null && (
        <>
          If a process of it still runs, <a href={to('machine')}>clean up on Machine</a>.
        </>
      )}
    </p>
  );
}
