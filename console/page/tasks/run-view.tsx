// Shows the run of a task: why it failed and what to do, its stages over time, the chosen attempt, and what runs now.

import { isOtherSession } from '../../../policies/facts/requirements.ts';
import type { TaskShown } from '../../contract/task.ts';
import { StillRuns } from '../machine/machine-view.tsx';
import { QuestionOf } from '../now/questions.tsx';
import { ActionList, goesOn } from '../parts/actions.tsx';
import { count, lasting, money } from '../parts/figures.ts';
import { ClassMark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Empty } from '../parts/shown.tsx';
import { Ago } from '../parts/times.tsx';
import { useRef, useSignal } from '../reactive.ts';
import { to } from '../shell/route.ts';
import { Supervision } from '../supervise/supervise-view.tsx';
import { Quote, Words } from '../text/words.tsx';
import { AttemptPanel, isOfStage } from './attempts.tsx';
import { Alive, LiveTail, useTail } from './live-tail.tsx';
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
  const tail = useTail(of.task_id, runs.current.seen);
  const shown =
    attempts.find(({ call_id: id }) => id === chosen.value) ??
    attempts.findLast(({ stage }) => stage === (state === 'parked' ? REASONER : failure?.stage)) ??
    attempts.at(-1);
  // Of one that is under way nothing is known yet beside its log.
  const attempt = shown && shown.ending !== null && <AttemptPanel task={of} of={shown} busy={busy} />;
  const lost = attempts.findLast(({ ending }) => ending === 'lost');
  const said = of.texts.filter(({ name, what }) => what === 'answer' && name.startsWith('outputs/worker.'));
  return (
    <div class="stack">
      {state === 'running' && <Alive of={tail} call={attempts.findLast(({ ending }) => ending === null)} />}
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
          {of.left_running && <StillRuns tool={lost?.tool} since={lost?.at} isMain />}
          {of.left_running ? (
            <p>
              The process that ran the task was killed, or its terminal was closed. Continue and Redo take over the
              running call: neither starts a second one beside it.
            </p>
          ) : (
            <p class="sentence">
              {of.restarted
                ? 'The machine was restarted before the task was finished.'
                : 'The run ended before the task was finished: it was killed, or its terminal was closed.'}
            </p>
          )}
          <Interrupted call={lost} isRunning={of.left_running} />
          {steps}
        </section>
      )}
      {of.lacks.length > 0 && (
        <section class="panel failure waits" aria-label="What is missing">
          {of.lacks.every(isOtherSession) ? (
            <>
              <p class="sentence">Done, but in another session than requested.</p>
              <p>The answer may lack what the requested session knew: check it.</p>
              <div class="dim">
                <LacksOf of={of.lacks} />
              </div>
            </>
          ) : (
            <>
              <p class="sentence">The task is done, but something is missing.</p>
              <LacksOf of={of.lacks} />
            </>
          )}
        </section>
      )}
      {failure === null && state !== 'interrupted' && next.some((action) => action !== again) && (
        <Panel title="Next">{steps}</Panel>
      )}
      {state === 'parked' && <QuestionOf task={of.task_id} />}
      {state === 'parked' && said.length > 0 && (
        <Panel title="What the worker answered before the question">
          <TextsOf task={of.task_id} of={said} />
        </Panel>
      )}
      {supervision && <Supervision of={supervision} goal={of.goal} />}
      {state === 'done' && <AnswerOf of={of} />}
      {stages.length === 0 ? (
        <Empty title="No stage was called yet" />
      ) : (
        <Timeline of={of} chosen={shown?.call_id ?? null} onChoose={(id) => (chosen.value = id)} />
      )}
      {of.asks !== null && <Asks of={of.asks} />}
      {runs.current.seen > 0 && <LiveTail key={runs.current.seen} of={tail} />}
      {attempt}
    </div>
  );
}

interface AsksProps {
  of: NonNullable<TaskShown['asks']>;
}

/** What a first run works on, beside the goal. */
function Asks({ of: { commands, criteria, allow, deny, only_reads: onlyReads, limits } }: AsksProps) {
  const { calls, usd, wallclock_sec: seconds } = limits;
  const rows: [string, readonly string[], string][] = [
    ['Paid calls', [`at most ${count(calls)}`], ''],
    ['Cost', usd === null ? [] : [`at most ${money(usd)}, as far as prices are known`], 'no limit'],
    ['Time', seconds === null ? [] : [`at most ${lasting(seconds * 1_000)}`], 'no limit'],
    ['Criteria', criteria, 'none'],
    ['Acceptance commands', commands, 'none'],
    ...(onlyReads
      ? ([['May change', [], 'no file: its stages only read']] as const)
      : ([
          ['May change', allow, 'every file'],
          ['May not change', deny, 'nothing is forbidden'],
        ] as const)
    ).map(([name, values, none]): [string, readonly string[], string] => [name, values, none]),
  ];
  return (
    <Panel title="Limits and acceptance">
      <dl class="facts">
        {rows.map(([name, values, none]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {values.length === 0 ? (
                <span class={none === 'every file' ? 'wait-text' : 'dim'}>{none}</span>
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
    <p class="soft">
      The call of <Words of={call.tool} /> for <Words of={call.stage} /> began <Ago at={call.at} /> and has no result.
      Continuing reads what it wrote; if that is no whole answer, it calls <Words of={call.tool} /> again. Finished
      stages stay finished. {isRunning === false && 'No process of it runs any more.'}
      {isRunning === null && (
        <>
          If a process of it still runs, <a href={to('machine')}>clean up on Machine</a>.
        </>
      )}
    </p>
  );
}

const LacksOf = ({ of }: { of: readonly string[] }) => (
  <ul>
    {of.map((lack) => (
      <li key={lack}>
        <Words of={lack} />
      </li>
    ))}
  </ul>
);

/** What a finished task has answered. */
function AnswerOf({ of: { attempts, texts, task_id: task } }: { of: TaskShown }) {
  const stage = attempts.at(-1)?.stage;
  const answers = texts.filter(({ name, what }) => what === 'answer' && stage !== undefined && isOfStage(name, stage));
  if (answers.length === 0) return null;
  return (
    <Panel
      title={
        <>
          Answer of <Words of={stage!} />
        </>
      }
    >
      <TextsOf key={attempts.at(-1)!.call_id} task={task} of={answers} opens="answer" />
    </Panel>
  );
}
