// Lists the supervised tasks with the questions of their reasoners, and shows the iterations of one on its page.

import type { Resources } from '../../contract/resources.ts';
import type { TaskShown } from '../../contract/task.ts';
import { useFollowing } from '../live/follow.ts';
import { Answered, QuestionRow } from '../now/questions.tsx';
import { count } from '../parts/figures.ts';
import { StateMark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Empty, Shown } from '../parts/shown.tsx';
import { Table } from '../parts/table.tsx';
import { Ago } from '../parts/times.tsx';
import { to } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { Quote, Words } from '../text/words.tsx';

export function SuperviseView() {
  const all = useFollowing<Resources['/api/supervise']>(
    '/api/supervise',
    (topic) => topic === 'tasks' || topic === 'task' || topic === '*',
  );
  return (
    <View title="Supervise" about="A worker carries out each instruction, and a reasoner gives the next one.">
      <Shown of={all} what="what is supervised">
        {({ supervisions }) => <Supervisions of={supervisions} />}
      </Shown>
    </View>
  );
}

const HEADS = ['Task', 'State', 'Current instruction', { number: 'Iterations' }, { number: 'Last' }] as const;

function Supervisions({ of }: { of: Resources['/api/supervise']['supervisions'] }) {
  const questions = of.flatMap(({ task_id, question, worker_said }) =>
    question === null ? [] : [{ task_id, question, worker_said }],
  );
  const answered = of.filter(({ state, answer_waits: isAnswered }) => isAnswered && state !== 'running');
  return (
    <>
      {questions.length > 0 && (
        <Panel title="Questions" edge="flush">
          <ul class="lately">
            {questions.map((question) => (
              <QuestionRow key={question.task_id} of={question} isMain={question === questions[0]} />
            ))}
          </ul>
        </Panel>
      )}
      {answered.length > 0 && <Answered of={answered.map(({ task_id: id }) => id)} />}
      <Panel title="Supervised tasks" edge="flush">
        {of.length === 0 ? (
          <Empty title="No supervised task">
            <span>
              Begin one in a terminal: <code>tollgate supervise TASK</code>
            </span>
          </Empty>
        ) : (
          <Table label="Supervised tasks" heads={HEADS}>
            {of.map(({ task_id: id, state, iterations, errors, instruction, at }) => (
              <tr key={id}>
                <th scope="row">
                  <a href={to('supervise', id)}>
                    <Words of={id} />
                  </a>
                </th>
                <td>
                  <StateMark state={state} />
                </td>
                <td class="wide">
                  <Words of={instruction.slice(0, MOST_CHARS)} />
                  {instruction.length > MOST_CHARS && ' …'}
                  {errors > 0 && <span class="dim"> {errors} of 3 errors of the reasoner in a row</span>}
                </td>
                <td class="number">{count(iterations)}</td>
                <td class="number dim">
                  <Ago at={at} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Panel>
    </>
  );
}

/** Of an instruction in the list; the page of the task shows it whole. */
const MOST_CHARS = 160;

const COLUMNS = ['Iteration', 'Reasoner', 'Decision', 'Instruction to the worker'] as const;

/** For the words of the table that the reasoner reads. */
const WORDS: Readonly<Record<string, string>> = {
  Success: 'answered',
  Error: 'failed',
  Normal: 'goes on',
  Preserve: 'keeps the instruction',
  Done: 'done',
  'Done (refused)': 'done, but refused',
  Exit: 'saved and ended',
  Ask: 'asks you',
};

interface SupervisionProps {
  of: NonNullable<TaskShown['supervision']>;
  goal: string | null;
}

/** The current instruction, unless it is the goal, and each iteration: the reasoner's decision, and the worker's instruction. */
export function Supervision({ of, goal }: SupervisionProps) {
  const { instruction, errors, iterations } = of;
  return (
    <Panel
      title="Supervision"
      aside={errors > 0 && <span class="dim">{errors} of 3 errors of the reasoner in a row</span>}
      edge="flush"
    >
      {instruction.trim() !== goal?.trim() && (
        <div class="panel-body">
          <h3>Current instruction</h3>
          <Quote of={instruction} label="Current instruction" />
        </div>
      )}
      <Table label="Iterations" heads={COLUMNS}>
        {iterations.map(({ iteration, reasoner, action, instruction: next }) => (
          <tr key={iteration}>
            <td>{iteration}</td>
            <td>{WORDS[reasoner] ?? reasoner}</td>
            <td>{WORDS[action] ?? action}</td>
            <td class="wide">
              <Words of={next} />
            </td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
