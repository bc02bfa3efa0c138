// Shows the questions of the reasoners, each with a field for the answer.

import type { AskedQuestion } from '../../contract/overviews.ts';
import type { Resources } from '../../contract/resources.ts';
import { useFollowing } from '../live/follow.ts';
import { change } from '../live/requests.ts';
import { Terms } from '../parts/actions.tsx';
import { Mark, StateMark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { useId, useSignal } from '../reactive.ts';
import { tellProblem } from '../shell/notes.tsx';
import { to } from '../shell/route.ts';
import { callsAtMost, signedOutOf } from '../tasks/task-list.ts';
import { Quote, Words } from '../text/words.tsx';

/** What a parked task asks, or that its answer waits for a run. */
export function QuestionOf({ task }: { task: string }) {
  const now = useFollowing<Resources['/api/now']>('/api/now', (topic) => topic === 'now' || topic === '*');
  const { questions = [], answered = [] } = now.value.value ?? {};
  const asked = questions.filter(({ task_id: id }) => id === task);
  return (
    <>
      {asked.map((question) => (
        <Panel key={task} title="Question">
          <Question of={question} />
        </Panel>
      ))}
      {answered.includes(task) && <Answered of={[task]} />}
    </>
  );
}

/** A question as a row of what needs the user. */
export const QuestionRow = ({ of }: { of: AskedQuestion }) => (
  <li>
    <StateMark state="parked" />
    <div class="do">
      <a href={to('supervise', of.task_id)}>
        <Words of={of.task_id} />
      </a>
      <Question of={of} />
    </div>
  </li>
);

function Question({ of: { task_id: task, question } }: { of: AskedQuestion }) {
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
      <Quote of={question} label={`What ${task} asks`} />
      <form class="answering" onSubmit={submit}>
        <label for={field} class="unseen">
          Answer to {task}
        </label>
        <textarea
          id={field}
          class="input"
          rows={2}
          placeholder="Your answer. The task continues with it."
          value={answer.value}
          onInput={(event) => (answer.value = event.currentTarget.value)}
        />
        <span class="action">
          <button type="submit" class="button main" disabled={isBusy.value || answer.value.trim() === ''}>
            Answer
          </button>
          <Terms cost={callsAtMost([task])} out={signedOutOf([task])} />
        </span>
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
