// Shows the questions of the reasoners, each with a field for the answer.

import type { AskedQuestion } from '../../contract/overviews.ts';
import type { Resources } from '../../contract/resources.ts';
import { useFollowing } from '../live/follow.ts';
import { change } from '../live/requests.ts';
import { Paid } from '../parts/actions.tsx';
import { Mark, StateMark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Ago } from '../parts/times.tsx';
import { type ComponentChildren, useId, useSignal } from '../reactive.ts';
import { tellProblem } from '../shell/notes.tsx';
import { to } from '../shell/route.ts';
import { callsAtMost, lineOf, signedOutOf } from '../tasks/task-list.ts';
import { Quote, Words } from '../text/words.tsx';

/** What a parked task asks, or that its answer waits for a run. */
export function QuestionOf({ task }: { task: string }) {
  const now = useFollowing<Resources['/api/now']>('/api/now', (topic) => topic === 'now' || topic === '*');
  const { questions = [], answered = [] } = now.value.value ?? {};
  const own = questions.filter(({ task_id: id }) => id === task);
  return (
    <>
      {own.map((question) => (
        <Panel key={task} title="Question">
          <Question of={question} isMain />
        </Panel>
      ))}
      {answered.includes(task) && <Answered of={[task]} />}
    </>
  );
}

interface QuestionProps {
  of: AskedQuestion;
  /** Whether its answer is the next step of the page. */
  isMain: boolean;
}

interface NeedRowProps {
  mark: ComponentChildren;
  /** The tasks. */
  title: ComponentChildren;
  at: string | null;
  /** The cause, what is in the way, and what to do. */
  children: ComponentChildren;
}

/** A row of what needs the user: of which tasks, why, and what to do. */
export const NeedRow = ({ mark, title, at, children }: NeedRowProps) => (
  <li>
    {mark}
    <div class="do">
      <p class="of">{title}</p>
      {children}
    </div>
    <span class="dim">
      <Ago at={at} />
    </span>
  </li>
);

/** A question as such a row. */
export const QuestionRow = ({ of, isMain }: QuestionProps) => (
  <NeedRow
    mark={<StateMark state="parked" />}
    title={
      <a href={to('supervise', of.task_id)}>
        <Words of={of.task_id} />
      </a>
    }
    at={lineOf(of.task_id)?.value.at ?? null}
  >
    <Question of={of} isMain={isMain} />
  </NeedRow>
);

function Question({ of, isMain }: QuestionProps) {
  const { task_id: task, question } = of;
  const out = signedOutOf([task]);
  const answer = useSignal('');
  const isBusy = useSignal(false);
  const field = useId();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (answer.value.trim() === '' || isBusy.value) return;
    isBusy.value = true;
    const problem = await change('/api/answer', { task, answer: answer.value });
    isBusy.value = false;
    if (problem === null) answer.value = '';
    else tellProblem(problem);
  };
  return (
    <>
      {of.worker_said && (
        <p class="worker-said">
          The worker said before it (<a href={to('supervise', task)}>read all</a>):
          <span class="two-lines">
            <Words of={of.worker_said} />
          </span>
        </p>
      )}
      <Quote of={question} label={`What ${task} asks`} />
      <form class="answering" onSubmit={submit}>
        <label for={field} class="unseen">
          Answer to {task}
        </label>
        <textarea
          id={field}
          class="input"
          rows={2}
          required
          placeholder="Your answer. The task continues with it."
          value={answer.value}
          onInput={(event) => (answer.value = event.currentTarget.value)}
        />
        <Paid out={out} isMain={isMain} cost={callsAtMost([task])}>
          {({ look, end }) => (
            <button type="submit" class={`button ${look}`} disabled={isBusy.value}>
              Answer{end}
            </button>
          )}
        </Paid>
      </form>
    </>
  );
}

/** Their answers are stored; the next run gives them to the reasoners. */
export function Answered({ of }: { of: readonly string[] }) {
  return (
    <Panel title="Answered, not continued">
      <ul class="questions">
        {of.map((task) => (
          <li key={task}>
            <p>
              <Mark tone="wait" word="answered" icon="waiting" />{' '}
              <a href={to('supervise', task)}>
                <Words of={task} />
              </a>
            </p>
            <p class="soft">
              The answer is stored. No run has continued the task yet. Fix what its run reported, then continue it:{' '}
              <code>
                tollgate supervise <Words of={task} />
              </code>
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
