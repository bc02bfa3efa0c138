// Shows supervised tasks: the progress of each, the instructions to its worker, and the questions of its reasoner.

import type { IterationCells } from '../../../policies/supervise/supervise-text.ts';
import type { Resources } from '../../contract/resources.ts';
import { useFollowing } from '../live/follow.ts';
import { Answered, Questions } from '../now/questions.tsx';
import { StateMark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Empty, Shown } from '../parts/shown.tsx';
import { Table } from '../parts/table.tsx';
import { Ago } from '../parts/times.tsx';
import { to } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { Quote, Words } from '../text/words.tsx';

export function SuperviseView({ id }: { id: string | undefined }) {
  const all = useFollowing<Resources['/api/supervise']>(
    '/api/supervise',
    (topic) => topic === 'tasks' || topic === 'task' || topic === '*',
  );
  return (
    <View
      title={id === undefined ? 'Supervise' : <Words of={id} />}
      about={id === undefined ? 'A worker carries out, a reasoner says what comes next.' : undefined}
      crumbs={id !== undefined && <a href={to('supervise')}>Supervise</a>}
    >
      <Shown of={all} what="what is supervised">
        {({ supervisions }) => {
          const some = supervisions.filter(({ task_id: task }) => id === undefined || task === id);
          if (some.length === 0)
            return (
              <div class="panel">
                <Empty title={id === undefined ? 'Nothing is supervised' : 'It is not supervised'}>
                  tollgate supervise {id === undefined ? 'TASK' : <Words of={id} />} begins it.
                </Empty>
              </div>
            );
          return some.map((each) => <One key={each.task_id} of={each} />);
        }}
      </Shown>
    </View>
  );
}

function One({ of }: { of: Resources['/api/supervise']['supervisions'][number] }) {
  const { task_id: task, state, errors, instruction, question, answer_waits: isAnswered, iterations, at } = of;
  return (
    <>
      {question !== null && <Questions of={[{ task_id: task, question }]} />}
      {isAnswered && state !== 'running' && <Answered of={[task]} />}
      <Panel
        title={
          <a href={to('tasks', task)}>
            <Words of={task} />
          </a>
        }
        aside={
          <span class="buttons">
            <span class="dim">
              errors of the reasoner in a row: {errors} of 3; last <Ago at={at} />
            </span>
            <StateMark state={state} />
          </span>
        }
      >
        <h3>The instruction in force</h3>
        <Quote of={instruction} label={`Instruction of ${task}`} />
        <Iterations rows={iterations} />
      </Panel>
    </>
  );
}

/** The iterations of a supervised task: the reasoner's decision, its failures in a row, and the worker's instruction. */
const HEADS = [{ number: 'Iteration' }, 'Reasoner', 'Errors in a row', 'Action', 'Instruction'] as const;

function Iterations({ rows }: { rows: readonly IterationCells[] }) {
  return (
    <Table label="Iterations" heads={HEADS}>
      {rows.map(({ iteration, reasoner, errors, action, instruction }) => (
        <tr key={iteration}>
          <td class="number">{iteration}</td>
          <td>{reasoner}</td>
          <td>{errors}</td>
          <td>{action}</td>
          <td class="wide">
            <Words of={instruction} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
