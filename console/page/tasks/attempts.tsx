// Shows one attempt of a stage: how it ended, the decision after it, what the gate checked and found, and its texts.

import type { GateCheck } from '../../../policies/facts/gate-record.ts';
import { toType } from '../../../policies/facts/next-action.ts';
import type { TaskShown } from '../../contract/task.ts';
import { partOf } from '../live/requests.ts';
import { ActionButton, isRerun as isRerunOf, waitOf } from '../parts/actions.tsx';
import { lasting, money, short } from '../parts/figures.ts';
import { ClassMark, Mark, StateMark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Ago } from '../parts/times.tsx';
import { to } from '../shell/route.ts';
import { Words } from '../text/words.tsx';
import { TextsOf } from './raw.tsx';
import { REASONER } from './timeline.tsx';

type Attempt = TaskShown['attempts'][number];

export function AttemptPanel({ task, of, busy }: { task: TaskShown; of: Attempt; busy: string | null }) {
  const { call_id: id, stage, attempt, tool, at, ms, class: errorClass, reason, decision } = of;
  const isLast = task.attempts.findLast((each) => each.stage === stage)?.call_id === id;
  const gate = isLast ? task.gates.find((each) => each.stage === stage) : undefined;
  // The question is shown above.
  const asks = isLast && task.state === 'parked' && stage === REASONER;
  // A rerun of the task calls it again as well.
  const isRerun = task.failure?.stage === stage && task.next_actions.some(isRerunOf);
  const texts = isLast ? task.texts.filter(({ name, bytes }) => bytes > 0 && isOfStage(name, stage)) : [];
  // The service that the rerun waits for refuses this call as well.
  const isOfFailure = task.attempts.findLast((each) => each.stage === task.failure?.stage)?.tool === tool;
  const wait = isOfFailure ? waitOf(task.next_actions) : '';
  const redo = toType(
    `${wait}call ${stage} again, and pay for it`,
    `tollgate run ${task.task_id} --redo=${stage}`,
    'pays',
  );
  return (
    <Panel
      title={
        <>
          <Words of={stage} />, attempt {attempt}
        </>
      }
      aside={<EndMark of={of} asks={asks} />}
    >
      <p class="soft attempt">
        {tool}, began <Ago at={at} />
        {ms !== null && `, took ${lasting(ms)}`}
        {of.tokens !== null && `, ${short(of.tokens)} tokens`}
        {of.usd !== null && `, ${money(of.usd)}`}
        {errorClass !== null && reason !== null && (
          <>
            , <a href={to('failures')}>{reason.replaceAll('_', ' ')}</a>
          </>
        )}
        {of.session_id !== null && (
          <>
            , {of.session_kept ? <a href={to('sessions', of.session_id)}>its session</a> : 'its session was not kept'}
          </>
        )}
      </p>
      {decision && decision.action !== 'stop' && (
        <p>
          <Words of={`Decision: ${decision.action}: ${decision.why}`} />
        </p>
      )}
      {texts.length > 0 && (
        <TextsOf key={id} task={task.task_id} of={texts} {...(!asks && task.state !== 'done' && { opens: 'answer' })} />
      )}
      {gate && <GateOf of={gate} task={task.task_id} log={texts.find(({ what }) => what === 'stderr')?.name} />}
      {isLast && task.supervision === null && !isRerun && (
        <ActionButton of={redo} tools={[tool]} verb="Redo stage" busy={busy} failedAt={task.at} isSaid />
      )}
      {!isLast && <p class="dim">The texts of an earlier attempt were replaced by those of the last one.</p>}
    </Panel>
  );
}

/** Names are `inputs/prompt/STAGE….md` and `outputs/STAGE.….out`. */
export const isOfStage = (name: string, stage: string): boolean => {
  const base = name.slice(name.lastIndexOf('/') + 1);
  return base === stage || base.startsWith(`${stage}.`);
};

function EndMark({ of: { class: errorClass, reason }, asks }: { of: Attempt; asks: boolean }) {
  if (asks) return <StateMark state="parked" />;
  if (reason === 'cancelled' || reason === 'interrupted') return <Mark tone="wait" word="interrupted" icon="broken" />;
  if (errorClass === null) return <Mark tone="good" word="done" icon="done" />;
  return <ClassMark class={errorClass} reason={reason} />;
}

interface GateProps {
  of: TaskShown['gates'][number];
  task: string;
  /** The name of the text with what the CLI logged; undefined if there is none. */
  log: string | undefined;
}

function GateOf({ of, task, log }: GateProps) {
  const { stage, at, passed, checks, findings, changes } = of;
  return (
    <div class="gate-of attempt">
      <p>
        <b>Gate</b>{' '}
        {passed ? (
          <Mark tone="good" word="passed" icon="done" />
        ) : (
          <Mark tone="bad" word="did not pass" icon="failed" />
        )}{' '}
        <span class="dim">
          <Ago at={at} />
        </span>
      </p>
      <ul class="checks">
        {checks.map(({ check, passed: isRight }) => (
          <li key={check}>
            <Mark {...(isRight ? PASSED : FOUND)} /> {CHECK_NAMES.get(check) ?? check}
          </li>
        ))}
      </ul>
      {findings.map((finding) => (
        <div class="notice bad" key={`${finding.check} ${finding.reason}`}>
          <b>
            {finding.check}: {finding.reason.replaceAll('_', ' ')}
          </b>
          <p>
            <Words of={finding.text} />
          </p>
          {finding.missing.length > 0 && (
            <ul class="plain-list mono">
              {finding.missing.map((each) => (
                <li key={each}>
                  <Words of={each} />
                </li>
              ))}
            </ul>
          )}
        </div>
      ))}
      <div class="buttons">
        {changes !== null && changes?.length !== 0 && (
          <a class="button small" href={`${to('tasks', task, 'changes')}?stage=${partOf(stage)}`}>
            Open changes
          </a>
        )}
        {log !== undefined && (
          <a class="button small" href={`${to('tasks', task, 'raw')}?text=${partOf(log)}`}>
            Open log
          </a>
        )}
      </div>
    </div>
  );
}

/** What a check is about, if its name does not say it. */
const CHECK_NAMES: ReadonlyMap<GateCheck, string> = new Map([
  ['judge', 'guarded files are untouched'],
  ['refusal', 'the answer is no refusal'],
  ['lines', 'length'],
  ['schema', 'JSON Schema'],
  ['acceptance', 'acceptance commands'],
]);

const PASSED = { tone: 'good', word: 'passed', icon: 'done' } as const;
const FOUND = { tone: 'bad', word: 'found', icon: 'failed' } as const;
