// Shows whether the machine has all that a call needs, and what killed processes have not cleaned up.

import type { CheckFinding } from '../../../policies/facts/finding.ts';
import { toDo } from '../../../policies/facts/next-action.ts';
import type { MachineShown } from '../../contract/overviews.ts';
import type { Resources } from '../../contract/resources.ts';
import { useFollowing } from '../live/follow.ts';
import { change } from '../live/requests.ts';
import { Advice, lineOf } from '../parts/actions.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { counted } from '../parts/figures.ts';
import { Mark } from '../parts/mark.tsx';
import { Panel } from '../parts/panel.tsx';
import { Shown } from '../parts/shown.tsx';
import { Table } from '../parts/table.tsx';
import { useSignal } from '../reactive.ts';
import { route } from '../shell/route.ts';
import { View } from '../shell/view.tsx';
import { renewSignIns } from '../tasks/task-list.ts';
import { Words } from '../text/words.tsx';

export function MachineView() {
  const machine = useFollowing<Resources['/api/machine']>('/api/machine', (topic) => topic === '*');
  const isAsking = useSignal(false);
  const { findings: all = [], clis: installed = [] } = machine.value.value ?? {};
  const isCleanUpNext = nextOf(installed) === undefined && all.some(({ check }) => check === LEFTOVERS);
  return (
    <View
      title="Machine"
      about={sumOf(all)}
      aside={
        <>
          <button
            type="button"
            class="button"
            onClick={() => {
              machine.renew();
              void renewSignIns();
            }}
          >
            Check again
          </button>
          <button
            type="button"
            class={`button ${isCleanUpNext ? 'main' : ''}`}
            title="Cleans up after killed processes"
            onClick={() => (isAsking.value = true)}
          >
            Clean up …
          </button>
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
                />
              ))}
            </div>
            <Findings of={findings.filter(({ check }) => !clis.some(({ tool }) => check === signInOf(tool)))} />
          </>
        )}
      </Shown>
      {isAsking.value && (
        <Confirm
          title="Clean up after killed processes?"
          verb="Clean up"
          act={() => change('/api/sweep', {})}
          onClose={() => (isAsking.value = false)}
        >
          <p>
            Calls whose guardian was killed are settled and written down; what still runs of them is ended. Other
            processes are not touched.
          </p>
        </Confirm>
      )}
    </View>
  );
}

function sumOf(findings: readonly CheckFinding[]): string {
  const count = (status: CheckFinding['status']) => findings.filter((each) => each.status === status).length;
  const [fail, warn] = [count('fail'), count('warn')];
  const sum = [
    ...(fail > 0 ? [`${counted(fail, 'check fails', 'checks fail')}`] : []),
    ...(warn > 0 ? [`${counted(warn, 'check warns', 'checks warn')}`] : []),
  ].join(', ');
  return `${sum === '' ? 'Checks of this machine' : sum}. Checking costs nothing.`;
}

/** The name of the check whose finding is in the card of its CLI. */
const signInOf = (tool: string): string => `${tool} sign-in`;

/** The one that a button for its sign-in led here for, else the first that is signed out. */
const nextOf = (clis: MachineShown['clis']): string | undefined => {
  const out = clis.filter(({ path, signed_in: signedIn }) => path !== null && signedIn.startsWith('signed out'));
  return (out.find(({ tool }) => tool === route.value.query.get('of')) ?? out[0])?.tool;
};

interface CliProps {
  of: MachineShown['clis'][number];
  finding: CheckFinding | undefined;
  /** Whether its fix is the next step of the page. */
  isMain: boolean;
}

function Cli({ of: { tool, version, path, signed_in: signedIn }, finding, isMain }: CliProps) {
  return (
    <div class="tile cli">
      <p class="title-line">
        <b>{tool}</b>
        <span class="dim">{version === null ? 'version unknown' : <Words of={version} />}</span>
      </p>
      {path === null ? <Mark tone="bad" word="not installed" icon="failed" /> : <SignIn of={signedIn} />}
      {finding?.fix && (
        <>
          <p class="soft">
            <Words of={finding.found} />
          </p>
          <Fix of={finding.fix} isMain={isMain} />
        </>
      )}
    </div>
  );
}

/** What to do about a finding, with its command to copy. */
function Fix({ of, isMain = false }: { of: string; isMain?: boolean }) {
  const fix = toDo(fixIn(of));
  return (
    <div class="fix">
      <Advice of={fix} failedAt={null} line={lineOf(fix)} isMain={isMain} />
    </div>
  );
}

const SIGN_INS = {
  'signed in': { tone: 'good', icon: 'done' },
  'signed out': { tone: 'bad', icon: 'failed' },
  unclear: { tone: 'wait', icon: 'waiting' },
} as const;

/** @param of such as `signed in by GEMINI_API_KEY`; the reason of another state is among the findings. */
function SignIn({ of }: { of: string }) {
  const word = (['signed in', 'signed out', 'unclear'] as const).find((each) => of.startsWith(each));
  return (
    <span>
      {word && <Mark {...SIGN_INS[word]} word={word} />} <Words of={of.slice(word?.length ?? 0).split(':')[0]!} />
    </span>
  );
}

/** A command that is the whole fix is shown as one. */
const fixIn = (fix: string): string => fix.replace(/^tollgate [\w -]+$/, '`$&`');

/** Shows what preflight found on the machine, and how to fix each finding. */
const LOOKS = {
  ok: { tone: 'good', icon: 'done', word: 'ok' },
  note: { tone: 'calm', icon: 'none', word: 'note' },
  warn: { tone: 'wait', icon: 'failures', word: 'warning' },
  fail: { tone: 'bad', icon: 'failed', word: 'fails' },
} as const satisfies Record<CheckFinding['status'], object>;

/** What needs a hand comes first. */
const ORDER = ['fail', 'warn', 'note'] as const satisfies readonly CheckFinding['status'][];

function Findings({ of }: { of: readonly CheckFinding[] }) {
  const open = ORDER.flatMap((status) => of.filter((finding) => finding.status === status));
  const fine = of.filter(({ status }) => status === 'ok');
  return (
    <>
      {open.length > 0 && (
        <Panel title="Checks to look at" edge="flush">
          <Checks of={open} label="Checks to look at" />
        </Panel>
      )}
      {fine.length > 0 && (
        <details class="panel" open={open.length === 0}>
          <summary>Checks without a finding</summary>
          <Checks of={fine} label="Checks without a finding" />
        </details>
      )}
    </>
  );
}

const LEFTOVERS = 'leftovers';

/** The names of checks that say little to a reader. */
const CHECKS: ReadonlyMap<string, string> = new Map([[LEFTOVERS, 'interrupted calls']]);

const HEADS = ['Check', 'State', 'Found', 'Fix'] as const;

function Checks({ of, label }: { of: readonly CheckFinding[]; label: string }) {
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
            <Words of={found} />
          </td>
          {hasFix && <td class="wide">{fix && <Fix of={fix} />}</td>}
        </tr>
      ))}
    </Table>
  );
}
