// Shows the form of a new task: goal, stages, limits, acceptance and scope; a check before anything is written or paid.

import type { Resources } from '../../contract/resources.ts';
import type { ChoicesShown, DraftShown, NewTask } from '../../contract/task.ts';
import { useFollowing } from '../live/follow.ts';
import { change, type Trouble, write } from '../live/requests.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Field, TextField } from '../parts/field.tsx';
import { Panel } from '../parts/panel.tsx';
import { Shown, SignInNotice, TroubleNotice } from '../parts/shown.tsx';
import { type ComponentChildren, type Signal, useSignal } from '../reactive.ts';
import { go, to } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { Words } from '../text/words.tsx';
import { DraftResult, Expected, Payment } from './draft-result.tsx';
import { lineOf } from './task-list.ts';

export function NewTaskView() {
  const choices = useFollowing<Resources['/api/choices']>('/api/choices', (topic) => topic === '*');
  return (
    <View title="New task" about="What is to be done, which CLIs do it, and what it may cost.">
      <Shown of={choices} what="the CLIs, roles and pipelines">
        {(shown) => <Form choices={shown} />}
      </Shown>
    </View>
  );
}

type Stage = NewTask['stages'][number];

function Form({ choices }: { choices: ChoicesShown }) {
  const goal = useSignal('');
  const named = useSignal<string | null>(null);
  const pipeline = useSignal<string | null>(null);
  const first = choices.tools.find(({ lacks }) => lacks === null)?.tool;
  const role = choices.roles[0]?.role;
  // A task has a stage at least.
  const begun = first === undefined || role === undefined ? [] : [{ tool: first, role, access: null }];
  const stages = useSignal<readonly Stage[]>(begun);
  const [calls, usd, minutes] = [useSignal('10'), useSignal(''), useSignal('')];
  const [commands, criteria] = [useSignal(choices.tests ?? ''), useSignal('')];
  const [allow, deny] = [useSignal(''), useSignal('')];
  const seconds = numberIn(minutes.value);
  const wish: NewTask = {
    id: named.value ?? proposedId(goal.value),
    goal: goal.value,
    pipeline: pipeline.value,
    stages: [...stages.value],
    calls: numberIn(calls.value) ?? Number.NaN,
    usd: numberIn(usd.value),
    wallclock_sec: seconds === null ? null : Math.round(seconds * 60),
    ...{ commands: linesIn(commands.value), criteria: linesIn(criteria.value) },
    ...{ allow: linesIn(allow.value), deny: linesIn(deny.value) },
  };
  const used = wish.pipeline === null ? wish.stages : pipelineOf(choices, wish.pipeline);
  const accepts = used.some(({ role }) => choices.roles.some((each) => each.role === role && each.accepts));
  return (
    <div class="stack new-task">
      <Unready of={choices.tools} can="create a task" />
      <Panel title="Task">
        <TextField of={goal} label="Goal" rows={3} required help="What is to be achieved, in a sentence or two." />
        <Field label="Id" help="The name of the task and of its folder; proposed from the goal.">
          {(id) => (
            <input
              id={id}
              class="input mono of-id"
              autocomplete="off"
              spellcheck={false}
              maxLength={128}
              required
              value={wish.id}
              onInput={(event) => (named.value = event.currentTarget.value.trim())}
            />
          )}
        </Field>
      </Panel>
      <Panel title="Stages">
        <Stages choices={choices} pipeline={pipeline} stages={stages} />
      </Panel>
      <Panel title="Limits">
        <div class="columns narrow">
          <TextField of={calls} label="Paid calls" mode="numeric" required help="At the most, retries included." />
          <TextField
            of={usd}
            label="Cost in US dollars"
            mode="decimal"
            help="As far as prices are known. Empty: no limit."
          />
          <TextField of={minutes} label="Minutes" mode="decimal" help="For one run. Empty: no limit." />
        </div>
      </Panel>
      <details class="panel optional" open={wish.commands.length > 0}>
        <summary>Acceptance and scope, optional</summary>
        <div class="columns panel-body">
          <div class="stack">
            <TextField
              of={commands}
              label="Commands"
              rows={2}
              mono
              help="One per line. Each must succeed in the end."
            />
            {wish.commands.length > 0 && used.length > 0 && !accepts && (
              <p class="notice wait">No stage runs these commands: only a stage in the role verify does.</p>
            )}
            <TextField of={criteria} label="Criteria" rows={2} help="One per line, as sentences for the stages." />
          </div>
          <div class="stack">
            <TextField
              of={allow}
              label="May change"
              rows={2}
              mono
              help="One glob per line, such as src/**. Empty: everything."
            />
            <TextField of={deny} label="May not change" rows={2} mono help="One glob per line, such as .ci/**." />
          </div>
        </div>
      </details>
      <Ways wish={wish} tools={used.map(({ tool }) => tool)} lacks={lacksOf(wish, used.length)} />
    </div>
  );
}

/** What the user still has to fill in. */
const lacksOf = (wish: NewTask, stages: number): string[] => [
  ...(wish.goal.trim() === '' ? ['a goal'] : []),
  ...(wish.id === '' ? ['an id'] : []),
  ...(stages === 0 ? ['a stage'] : []),
  ...(areNumbers(wish) ? [] : ['limits above zero']),
];

const areNumbers = ({ calls, usd, wallclock_sec: seconds }: NewTask): boolean =>
  Number.isInteger(calls) && calls > 0 && [usd, seconds].every((n) => n === null || n > 0);

/** null for an empty field, NaN for one that is no number. */
const numberIn = (text: string): number | null => (text.trim() === '' ? null : Number(text));

const linesIn = (text: string): string[] => text.split('\n').flatMap((line) => line.trim() || []);

const MOST_WORDS = 5;

/** Made from the first words of the goal; another one if a task has it. */
function proposedId(goal: string): string {
  const words = goal
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  const base = (words ?? []).slice(0, MOST_WORDS).join('-').slice(0, 60);
  if (base === '') return '';
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? base : `${base}-${n}`;
    if (lineOf(id) === undefined) return id;
  }
}

const pipelineOf = ({ pipelines }: ChoicesShown, wanted: string) =>
  pipelines.find(({ name }) => name === wanted)?.stages ?? [];

interface StagesProps {
  choices: ChoicesShown;
  pipeline: Signal<string | null>;
  stages: Signal<readonly Stage[]>;
}

function Stages({ choices, pipeline, stages }: StagesProps) {
  const { tools, roles, pipelines } = choices;
  const lackOf = new Map(tools.map(({ tool, lacks }) => [tool, lacks]));
  const lacking = (of: readonly { tool: string }[]) => [
    ...new Set(
      of.flatMap(({ tool }) => (lackOf.get(tool) === null ? [] : `${tool} ${lackOf.get(tool) ?? 'is unknown'}`)),
    ),
  ];
  const first = tools.find(({ lacks }) => lacks === null)?.tool;
  const put = (at: number, stage: Partial<Stage>) => {
    stages.value = stages.value.map((each, nth) => (nth === at ? { ...each, ...stage } : each));
  };
  return (
    <>
      <Field label="Pipeline" help="A named list of stages, or stages of your own.">
        {(id) => (
          <select
            id={id}
            class="input"
            value={pipeline.value ?? ''}
            onChange={(event) => (pipeline.value = event.currentTarget.value || null)}
          >
            <option value="">Stages of your own</option>
            {pipelines.map(({ name, stages: of }) => (
              <option key={name} value={name} disabled={lacking(of).length > 0}>
                {name}
                {lacking(of).length > 0 && ` (${lacking(of).join(', ')})`}
              </option>
            ))}
          </select>
        )}
      </Field>
      {pipeline.value !== null ? (
        <ol class="walk">
          {pipelineOf(choices, pipeline.value).map(({ tool, role }) => (
            <li key={`${tool} ${role}`}>
              <b>
                <Words of={tool} />
              </b>{' '}
              <Words of={role} />
            </li>
          ))}
        </ol>
      ) : (
        <>
          {stages.value.map(({ tool, role, access }, at) => {
            const of = `of stage ${at + 1}`;
            const byRole = roles.find((each) => each.role === role)?.access ?? 'read';
            return (
              <div class="stage-row" key={at}>
                <Choice label={`CLI ${of}`} value={tool} onChoose={(value) => put(at, { tool: value })}>
                  {tools.map(({ tool: name, lacks }) => (
                    <option key={name} value={name} disabled={lacks !== null}>
                      {lacks === null ? name : `${name} ${lacks}`}
                    </option>
                  ))}
                </Choice>
                <Choice label={`Role ${of}`} value={role} onChoose={(value) => put(at, { role: value })}>
                  {roles.map(({ role: name }) => (
                    <option key={name}>{name}</option>
                  ))}
                </Choice>
                <Choice
                  label={`Access ${of}`}
                  value={access ?? ''}
                  onChoose={(value) => put(at, { access: value || null })}
                >
                  <option value="">{byRole}, by its role</option>
                  {['read', 'write', 'full'].map((name) => (
                    <option key={name}>{name}</option>
                  ))}
                </Choice>
                <button
                  type="button"
                  class="button small"
                  onClick={() => (stages.value = stages.value.filter((_, nth) => nth !== at))}
                >
                  Remove<span class="unseen"> stage {at + 1}</span>
                </button>
              </div>
            );
          })}
          <div class="buttons">
            <button
              type="button"
              class="button"
              disabled={first === undefined}
              onClick={() => (stages.value = [...stages.value, { tool: first!, role: roles[0]!.role, access: null }])}
            >
              Add a stage
            </button>
          </div>
        </>
      )}
    </>
  );
}

/** Whether no call of any CLI can answer yet. */
export const isNoneReady = (of: ChoicesShown['tools']): boolean =>
  of.every(({ lacks, note }) => lacks !== null || note !== null);

interface UnreadyProps {
  of: ChoicesShown['tools'];
  /** What is possible without them. */
  can: string;
  /** Whether the sign-in is the next step of the page. */
  isMain?: boolean;
}

/** The CLIs that cannot answer yet, and the way to repair that. */
export function Unready({ of, can, isMain = false }: UnreadyProps) {
  const some = of.filter(({ lacks, note }) => lacks !== null || note !== null);
  if (some.length === 0) return null;
  const names = some.map(({ tool, lacks }) => (lacks === null ? tool : `${tool} ${lacks}`)).join(', ');
  return (
    <SignInNotice
      isMain={isMain}
      title={`${isNoneReady(of) ? 'No sign-in was found for any CLI' : 'Some CLIs cannot answer yet'}: ${names}.`}
    >
      You can {can}, but their calls may fail.
    </SignInNotice>
  );
}

interface WaysProps {
  wish: NewTask;
  /** Of its stages. */
  tools: readonly string[];
  lacks: readonly string[];
}

/** What can be done with the form: nothing is written before the user says so, and nothing is paid before a second time. */
function Ways({ wish, tools, lacks }: WaysProps) {
  const key = JSON.stringify(wish);
  const found = useSignal<{ key: string; of: DraftShown } | null>(null);
  const problem = useSignal<Trouble | null>(null);
  const isBusy = useSignal(false);
  const isStarting = useSignal(false);
  const busily = async (act: () => Promise<Trouble | null>) => {
    if (isBusy.value) return;
    isBusy.value = true;
    problem.value = null;
    problem.value = await act();
    isBusy.value = false;
  };
  const check = async () => {
    const answered = await write<DraftShown>('/api/draft', wish);
    found.value = answered.how === 'failed' ? null : { key, of: answered.value };
    return answered.how === 'failed' ? answered.problem : null;
  };
  const create = async (run: boolean) => {
    const failed = await change('/api/create', { ...wish, run });
    if (failed === null) go(to('tasks', wish.id));
    return failed;
  };
  const start = async () => {
    const failed = await check();
    isStarting.value = failed === null && found.value?.of.problems.length === 0;
    return failed;
  };
  // What was found in another text says nothing about this one.
  const current = found.value?.key === key ? found.value.of : null;
  const canDo = lacks.length === 0 && !isBusy.value;
  return (
    <>
      <div aria-live="polite">{current && <DraftResult of={current} />}</div>
      {problem.value && <TroubleNotice of={problem.value} />}
      <div class="buttons ways">
        <button type="button" class="button" disabled={!canDo} onClick={() => busily(check)}>
          Check
        </button>
        <button type="button" class="button" disabled={!canDo} onClick={() => busily(() => create(false))}>
          Create
        </button>
        <button type="button" class="button main" disabled={!canDo} onClick={() => busily(start)}>
          Create and run …
        </button>
        <span class="dim">
          {lacks.length > 0 && <b>Still needed: {lacks.join(', ')}. </b>}
          {areNumbers(wish) && <Expected tools={tools} most={wish.calls} />}
        </span>
      </div>
      {isStarting.value && current && (
        <Confirm
          title={<Words of={`Create and run ${wish.id}?`} />}
          verb="Create and run"
          act={() => create(true)}
          onClose={() => (isStarting.value = false)}
        >
          <Payment of={current} />
        </Confirm>
      )}
    </>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  onChoose: (value: string) => void;
  children: ComponentChildren;
}

function Choice({ label, value, onChoose, children }: ChoiceProps) {
  return (
    <select class="input" aria-label={label} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      {children}
    </select>
  );
}
