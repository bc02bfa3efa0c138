// Shows whether the machine has all that a call needs, and what killed processes have not cleaned up.

import type { CheckFinding } from '../../../policies/facts/finding.ts';
import { toDo } from '../../../policies/facts/next-action.ts';
import type { MachineShown } from '../../contract/overviews.ts';
import type { Resources } from '../../contract/resources.ts';
import { useFollowing } from '../live/follow.ts';
import { change } from '../live/requests.ts';
import { lineOf, Sentence } from '../parts/actions.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { count, counted } from '../parts/figures.ts';
import { Mark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { asSentence, Shown } from '../parts/shown.tsx';
import { Table } from '../parts/table.tsx';
import { Elapsed } from '../parts/times.tsx';
import { type ComponentChildren, useSignal } from '../reactive.ts';
import { route, to } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { everyLine, NEEDS_YOU, needsYou, renewSignIns } from '../tasks/task-list.ts';
import { Words } from '../text/words.tsx';

export function MachineView() {
  const machine = useFollowing<Resources['/api/machine']>('/api/machine', (topic) => topic === '*');
  const { findings: all = [], clis: installed = [] } = machine.value.value ?? {};
  const hasLeftovers = all.some(({ check }) => check === LEFTOVERS);
  const renew = () => {
    machine.renew();
    void renewSignIns();
  };
  const cleanUp = <CleanUp verb="Clean up …" isMain={hasLeftovers && nextOf(installed) === undefined} />;
  return (
    <View
      title="Machine"
      about={sumOf(all)}
      aside={
        <>
          <button type="button" class="button" onClick={renew}>
            Check again
          </button>
          {!hasLeftovers && cleanUp}
        </>
      }
    >
      <Shown of={machine} what="how the machine is">
        {({ clis, findings }) => (
          <>
            <div class="tiles clis">
              {clis.map((cli) => (
                <Cli
                  key={cli.tool}
                  of={cli}
                  finding={findings.find(({ check }) => check === signInOf(cli.tool))}
                  isMain={cli.tool === nextOf(clis)}
                  renew={renew}
                />
              ))}
            </div>
            <Findings
              of={findings.filter(({ check }) => !clis.some(({ tool }) => check === signInOf(tool)))}
              cleanUp={cleanUp}
            />
          </>
        )}
      </Shown>
    </View>
  );
}

/** Ends what still runs of killed processes, after a confirmation. */
function CleanUp({ verb, isMain }: { verb: string; isMain: boolean }) {
  const isAsking = useSignal(false);
  return (
    <>
      <button type="button" class={`button small ${isMain ? 'main' : ''}`} onClick={() => (isAsking.value = true)}>
        {verb}
      </button>
      {isAsking.value && (
        <Confirm
          title="Clean up after killed processes?"
          verb="Clean up"
          act={() => change('/api/sweep', {})}
          onClose={() => (isAsking.value = false)}
        >
          <p>
            What still runs of calls whose guardian was killed is ended, in all tasks; the calls are settled and written
            down. What they cost until now stays paid. Other processes are not touched.
          </p>
        </Confirm>
      )}
    </>
  );
}

interface StillRunsProps {
  tool: string | undefined;
  /** ISO time at which its call began; undefined if that is not shown. */
  since?: string | undefined;
  isMain?: boolean;
}

/** Of an interrupted task: what may cost more, before anything else is done about the task. */
export function StillRuns({ tool = 'A process', since, isMain = false }: StillRunsProps) {
  return (
    <div class="still-runs">
      <b class="wait-text">
        <Words of={tool} /> still runs{' '}
        {since !== undefined && (
          <>
            (for <Elapsed from={since} />){' '}
          </>
        )}
        and may cost more.
      </b>{' '}
      <CleanUp verb="Stop it …" isMain={isMain} />
    </div>
  );
}

function sumOf(findings: readonly CheckFinding[]): string {
  const [out, others] = [true, false].map((isSignIn) =>
    findings.filter(
      ({ check, status }) => status !== 'ok' && status !== 'note' && check.endsWith(SIGN_IN) === isSignIn,
    ),
  );
  const sum = [
    ...(out!.length > 0 ? [counted(out!.length, 'sign-in to repair', 'sign-ins to repair')] : []),
    ...(others!.length > 0 ? [counted(others!.length, 'check to look at', 'checks to look at')] : []),
  ].join(', ');
  return `${sum === '' ? 'Checks of this machine' : sum}. Checking costs nothing.`;
}

const SIGN_IN = ' sign-in';

/** The name of the check whose finding is in the card of its CLI. */
const signInOf = (tool: string): string => `${tool}${SIGN_IN}`;

/** The tasks that wait for the user, and whose next run calls the CLI. */
const blockedBy = (tool: string): string[] =>
  everyLine()
    .filter((line) => needsYou(line) && line.next_run?.tools.includes(tool))
    .map(({ task_id: id }) => id);

/** The one that a button for its sign-in led here for, else of those without a sign-in the one that blocks the most tasks. */
const nextOf = (clis: MachineShown['clis']): string | undefined => {
  const out = clis.filter(({ path, signed_in: signedIn }) => path !== null && signedIn.startsWith('no sign-in found'));
  const blocked = new Map(out.map(({ tool }) => [tool, blockedBy(tool).length]));
  const [most] = [...out].sort((a, b) => blocked.get(b.tool)! - blocked.get(a.tool)!);
  return (out.find(({ tool }) => tool === route.value.query.get('of')) ?? most)?.tool;
};

interface CliProps {
  of: MachineShown['clis'][number];
  finding: CheckFinding | undefined;
  /** Whether its fix is the next step of the page. */
  isMain: boolean;
  renew: () => void;
}

function Cli({ of: { tool, version, path, signed_in: signedIn }, finding, isMain, renew }: CliProps) {
  const blocked = finding?.fix ? blockedBy(tool) : [];
  return (
    <div class="tile cli">
      <p class="title-line">
        <b>{tool}</b>
        <span class="dim">{version === null ? 'version unknown' : <Words of={version} />}</span>
      </p>
      <p class="title-line">
        {path === null ? <Mark tone="bad" word="not installed" icon="failed" /> : <SignIn of={signedIn} />}
        {blocked.length > 0 && (
          <a href={`${to('tasks')}?state=${NEEDS_YOU}`} title={blocked.join(', ')}>
            blocks {counted(blocked.length, 'task')}
          </a>
        )}
      </p>
      {finding?.fix && (
        <>
          <p class="soft">
            <Words of={asSentence(finding.found)} />
          </p>
          <Fix of={finding.fix} isMain={isMain} />
          <button type="button" class="button small" onClick={renew}>
            Check {tool} again
          </button>
        </>
      )}
    </div>
  );
}

/** What to do about a finding, with its commands to copy. */
function Fix({ of, isMain = false }: { of: string; isMain?: boolean }) {
  const fix = toDo(fixIn(of));
  return (
    <div class="fix">
      <Sentence of={fix.text} line={lineOf(fix)} isMain={isMain} isEach />
    </div>
  );
}

const SIGN_INS = {
  'signed in': { tone: 'good', icon: 'done' },
  'no sign-in found': { tone: 'bad', icon: 'failed' },
  unclear: { tone: 'wait', icon: 'waiting' },
} as const;

/** @param of such as `signed in by GEMINI_API_KEY`; the reason of another state is among the findings. */
function SignIn({ of }: { of: string }) {
  const word = (['signed in', 'no sign-in found', 'unclear'] as const).find((each) => of.startsWith(each));
  return (
    <span>
      {word && <Mark {...SIGN_INS[word]} word={word} />} <Words of={of.slice(word?.length ?? 0).split(':')[0]!} />
    </span>
  );
}

/** A command that is the whole fix is shown as one, and so is the setting of a variable; the page has no flags. */
const fixIn = (fix: string): string =>
  fix
    .replace(/\badd --[\w-]+, or /, '')
    .replace(/^tollgate [\w -]+$/, '`$&`')
    .replace(/\bexport ([A-Z_]+=)…/g, '`export $1`');

/** Shows what preflight found on the machine, and how to fix each finding. */
const LOOKS = {
  ok: { tone: 'good', icon: 'done', word: 'ok' },
  note: { tone: 'calm', icon: 'none', word: 'note' },
  warn: { tone: 'wait', icon: 'failures', word: 'warning' },
  fail: { tone: 'bad', icon: 'failed', word: 'fails' },
} as const satisfies Record<CheckFinding['status'], object>;

/** What needs a hand comes first. */
const ORDER = ['fail', 'warn', 'note'] as const satisfies readonly CheckFinding['status'][];

interface FindingsProps {
  of: readonly CheckFinding[];
  /** The button in the row of what killed processes have left. */
  cleanUp: ComponentChildren;
}

function Findings({ of, cleanUp }: FindingsProps) {
  const open = ORDER.flatMap((status) => of.filter((finding) => finding.status === status));
  const fine = of.filter(({ status }) => status === 'ok');
  return (
    <>
      {open.length > 0 && (
        <Panel title="Checks to look at" edge="flush">
          <Checks of={open} label="Checks to look at" cleanUp={cleanUp} />
        </Panel>
      )}
      {fine.length > 0 && (
        <details class="panel" open={open.length === 0}>
          <summary>Checks without a finding</summary>
          <Checks of={fine} label="Checks without a finding" cleanUp={cleanUp} />
        </details>
      )}
    </>
  );
}

const LEFTOVERS = 'leftovers';

/** The names of checks that say little to a reader. */
const CHECKS: ReadonlyMap<string, string> = new Map([[LEFTOVERS, 'interrupted calls']]);

const HEADS = ['Check', 'State', 'Found', 'Fix'] as const;

function Checks({ of, label, cleanUp }: FindingsProps & { label: string }) {
  const hasFix = of.some(({ fix }) => fix);
  return (
    <Table label={label} heads={hasFix ? HEADS : HEADS.slice(0, 3)}>
      {of.map(({ check, status, found, fix }) => (
        <tr key={`${check} ${found}`}>
          <th scope="row" class="nowrap">
            <Words of={CHECKS.get(check) ?? check} />
          </th>
          <td>
            <Mark {...LOOKS[status]} />
          </td>
          <td class="wide">
            <Words of={asSentence(found)} />
            {check === LEFTOVERS && <Interrupted />}
          </td>
          {hasFix && <td class="wide">{check === LEFTOVERS ? cleanUp : fix && <Fix of={fix} />}</td>}
        </tr>
      ))}
    </Table>
  );
}

/** The tasks of the interrupted calls. */
function Interrupted() {
  const some = everyLine().filter(({ state }) => state === 'interrupted');
  if (some.length === 0) return null;
  return (
    <p>
      {some.slice(0, MOST).map(({ task_id: id }, nth) => (
        <span key={id}>
          {nth > 0 && ', '}
          <a href={to('tasks', id)}>
            <Words of={id} />
          </a>
        </span>
      ))}
      {some.length > MOST && ` and ${count(some.length - MOST)} more`}
    </p>
  );
}

const MOST = 5;
