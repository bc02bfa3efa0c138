// Shows the running tasks: each call with its CLI, how long it has run, and its last action.

import { inPlaceWords } from '../../../policies/verdict/stand-ins.ts';
import type { NowCall, NowTask, NowWait } from '../../contract/now.ts';
import { counted, short } from '../parts/figures.ts';
import { Mark, StateMark } from '../parts/mark.tsx';
import { Countdown, Elapsed } from '../parts/times.tsx';
import { to } from '../shell/route.ts';
import { Words } from '../text/words.tsx';

interface RunningProps {
  tasks: readonly NowTask[];
  onStop: (task: NowTask) => void;
}

export function Running({ tasks, onStop }: RunningProps) {
  return (
    <ul class="works">
      {tasks.map((task) => (
        <li key={task.task_id} class="work">
          <div class="work-head">
            <StateMark state={task.waits === null ? task.state : 'waiting'} />
            <a href={to('tasks', task.task_id)}>
              <Words of={task.task_id} />
            </a>
            <span class="dim">
              {task.since && (
                <>
                  for <Elapsed from={task.since} />
                </>
              )}
              , {counted(task.calls.used, 'call')}
              {task.calls.budget !== null && ` of ${task.calls.budget}`}
              {task.tokens !== null && `, ${short(task.tokens)} tokens`}
            </span>
            <button type="button" class="button small grave" onClick={() => onStop(task)}>
              Stop<span class="unseen"> {task.task_id}</span>
            </button>
          </div>
          {task.running.map((call) => (
            <CallOf key={call.call_id} call={call} />
          ))}
          {task.waits && (
            <p class="soft">
              <WaitOf wait={task.waits} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

function CallOf({ call }: { call: NowCall }) {
  return (
    <div class="work-call">
      <Mark tone="busy" word={call.tool} icon="busy" />
      <span>
        <Words of={call.stage} />
        {call.stand_ins.length > 0 && (
          <span class="dim">
            , asked
            <Words of={inPlaceWords(call.stand_ins)} />
          </span>
        )}
        {call.attempt > 1 && <span class="dim">, attempt {call.attempt}</span>}
      </span>
      <span class="dim">
        <Elapsed from={call.since} />; ended in <Countdown to={call.deadline_at} /> at the latest
      </span>
      <span class="cut soft">{call.last === null ? 'nothing said yet' : <Words of={call.last} />}</span>
    </div>
  );
}

function WaitOf({ wait }: { wait: NowWait }) {
  if (wait.what === 'time')
    return (
      <>
        <Words of={wait.stage} /> goes on in <Countdown to={wait.until} />
      </>
    );
  return (
    <>
      <Words of={wait.stage} /> waits for its {wait.what} behind <Words of={wait.behind.slice(0, 3).join(', ')} />
      {wait.behind.length > 3 && ` and ${wait.behind.length - 3} more`}
    </>
  );
}
