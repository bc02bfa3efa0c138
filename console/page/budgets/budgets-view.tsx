// Shows the budgets and limits over all tasks, the use by day and tool, and the button that sets a budget.

import { TOOLS } from '../../../policies/facts/tools.ts';
import type { BudgetShown, HoldShown, LimitsShown } from '../../contract/overviews.ts';
import type { Resources } from '../../contract/resources.ts';
import { useFollowing } from '../live/follow.ts';
import { change } from '../live/requests.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Shown } from '../parts/shown.tsx';
import { useId, useSignal } from '../reactive.ts';
import { View } from '../shell/view.tsx';
import { Words } from '../text/words.tsx';
import { amountOf, Budgets, Holds, Pace } from './limits.tsx';
import { Spent } from './spent.tsx';

export function BudgetsView() {
  const concerns = (topic: string) => topic === 'budgets' || topic === '*';
  const limits = useFollowing<Resources['/api/budgets']>('/api/budgets', concerns);
  const spent = useFollowing<Resources['/api/spent']>('/api/spent', concerns);
  return (
    <View title="Budgets" about="For all your tasks on this machine.">
      <Shown of={limits} what="the limits">
        {(shown) => <LimitsSheet of={shown} />}
      </Shown>
      <Shown of={spent} what="what was used">
        {(shown) => <Spent of={shown} budgets={limits.value.value?.budgets ?? []} />}
      </Shown>
    </View>
  );
}

function LimitsSheet({ of }: { of: LimitsShown }) {
  const setting = useSignal<BudgetShown | 'new' | null>(null);
  const releasing = useSignal<HoldShown | null>(null);
  const hold = releasing.value;
  return (
    <>
      <div class="columns">
        <Budgets of={of.budgets} onSet={(budget) => (setting.value = budget ?? 'new')} />
        <div class="stack">
          <Holds of={of.holds} onRelease={(chosen) => (releasing.value = chosen)} />
          <Pace of={of} />
        </div>
      </div>
      {setting.value && (
        <BudgetDialog of={setting.value === 'new' ? null : setting.value} onClose={() => (setting.value = null)} />
      )}
      {hold && (
        <Confirm
          title={`Release the hold on ${hold.tool}?`}
          verb="Release"
          act={() => change('/api/release', { tool: hold.tool, account: hold.account, model: hold.model })}
          onClose={() => (releasing.value = null)}
        >
          <p>
            Reason of the hold: <Words of={hold.reason.replaceAll('_', ' ')} />. The next call to {hold.tool} is made at
            once. If the limit is still in force, that call is paid and fails.
          </p>
        </Confirm>
      )}
    </>
  );
}

/** Sets a budget over all tasks, like `tollgate budget --set`; changes nothing before the user confirms. */
interface BudgetDialogProps {
  /** null for a new budget. */
  of: BudgetShown | null;
  onClose: () => void;
}

const CHOICES = ['any', ...TOOLS];

function BudgetDialog({ of, onClose }: BudgetDialogProps) {
  const tool = useSignal(of?.tool ?? 'any');
  const per = useSignal(of?.per ?? 'day');
  const unit = useSignal(of?.unit ?? 'calls');
  const most = useSignal(of === null ? '' : String(of.most));
  const number = Number(most.value);
  const isRight = most.value.trim() !== '' && Number.isFinite(number) && number >= 0;
  const isTaken = most.value.trim() === '' && of !== null;
  const ids = { tool: useId(), per: useId(), unit: useId(), most: useId() };
  return (
    <Confirm
      title={of === null ? 'Set a budget' : 'Change this budget'}
      verb={isTaken ? 'Take it away' : 'Set it'}
      tone={isTaken ? 'grave' : 'main'}
      canDo={isRight || isTaken}
      act={() =>
        change('/api/limits', { tool: tool.value, per: per.value, unit: unit.value, most: isTaken ? null : number })
      }
      onClose={onClose}
    >
      {of === null && (
        <div class="columns narrow">
          <Choice id={ids.tool} label="Of which CLI" of={tool} among={CHOICES} />
          <Choice id={ids.per} label="In each" of={per} among={['day', 'week', 'month']} />
          <Choice id={ids.unit} label="Counted in" of={unit} among={['calls', 'tokens', 'usd']} />
        </div>
      )}
      <div class="field">
        <label for={ids.most}>
          At the most{of !== null && `, ${of.unit} of ${of.tool === 'any' ? 'all CLIs' : of.tool} a ${of.per}`}
        </label>
        <input
          id={ids.most}
          class="input"
          inputMode="decimal"
          autocomplete="off"
          value={most.value}
          onInput={(event) => (most.value = event.currentTarget.value)}
        />
        <small>
          {of === null ? 'Enter a number, 0 or more.' : 'Enter a number, 0 or more; empty removes the budget.'}
        </small>
      </div>
      <p aria-live="polite" class="soft">
        {isRight &&
          `From now on ${tool.value === 'any' ? 'all CLIs together' : tool.value} may use ${amountOf(unit.value, number)} a ${per.value}.`}
      </p>
    </Confirm>
  );
}

interface ChoiceProps {
  id: string;
  label: string;
  of: { value: string };
  among: readonly string[];
}

function Choice({ id, label, of, among }: ChoiceProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} class="input" value={of.value} onChange={(event) => (of.value = event.currentTarget.value)}>
        {among.map((each) => (
          <option key={each} value={each}>
            {each === 'any' ? 'all together' : each === 'usd' ? 'US dollars' : each}
          </option>
        ))}
      </select>
    </div>
  );
}
