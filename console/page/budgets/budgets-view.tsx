// Shows the budgets and limits over all tasks, the use by day and tool, and the button that sets a budget.

import { TOOLS } from '../../../policies/facts/tools.ts';
import type { HoldShown, LimitsShown } from '../../contract/overviews.ts';
import type { Resources } from '../../contract/resources.ts';
import { useFollowing } from '../live/follow.ts';
import { change } from '../live/requests.ts';
import { Confirm } from '../parts/dialog.tsx';
import { ChoiceField, TextField } from '../parts/field.tsx';
import { Shown } from '../parts/shown.tsx';
import { useSignal } from '../reactive.ts';
import { View } from '../shell/view.tsx';
import { Words } from '../text/words.tsx';
import { amountOf, Budgets, Holds, inEach, type LimitSet, Pace } from './limits.tsx';
import { Spent, Today } from './spent.tsx';

export function BudgetsView() {
  const concerns = (topic: string) => topic === 'budgets' || topic === '*';
  const limits = useFollowing<Resources['/api/budgets']>('/api/budgets', concerns);
  const spent = useFollowing<Resources['/api/spent']>('/api/spent', concerns);
  return (
    <View title="Budgets" about="For all your tasks on this machine.">
      {spent.value.value !== null && limits.value.value !== null && (
        <Today of={spent.value.value} budgets={limits.value.value.budgets} />
      )}
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
  const setting = useSignal<LimitSet | null>(null);
  const releasing = useSignal<HoldShown | null>(null);
  const hold = releasing.value;
  return (
    <>
      <div class="columns">
        <div class="stack">
          <Budgets of={of.budgets} onSet={(budget) => (setting.value = budget ?? { per: 'day' })} />
          <Holds of={of.holds} onRelease={(chosen) => (releasing.value = chosen)} />
        </div>
        <Pace of={of} onSet={(pace) => (setting.value = pace)} />
      </div>
      {setting.value && <BudgetDialog of={setting.value} onClose={() => (setting.value = null)} />}
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

interface BudgetDialogProps {
  of: LimitSet;
  onClose: () => void;
}

const CHOICES = ['any', ...TOOLS];
const UNITS = ['calls', 'tokens', 'usd'];

/** Sets a budget or a pace over all tasks, like `tollgate budget`; changes nothing before the user confirms. */
function BudgetDialog({ of, onClose }: BudgetDialogProps) {
  const isNew = of.most === undefined;
  const tool = useSignal(of.tool ?? 'any');
  const per = useSignal(of.per);
  const chosenUnit = useSignal(of.unit ?? 'calls');
  const most = useSignal(isNew ? '' : String(of.most));
  const isPace = per.value === 'minute' || per.value === 'once';
  const unit = isPace ? 'calls' : chosenUnit.value;
  const number = Number(most.value);
  const isNumber = isPace ? Number.isInteger(number) && number > 0 : Number.isFinite(number) && number >= 0;
  const isRight = most.value.trim() !== '' && isNumber;
  const isTaken = most.value.trim() === '' && !isNew;
  const whose = (many: string) => (tool.value === 'any' ? many : tool.value);
  return (
    <Confirm
      title={isNew ? 'Set a budget' : 'Change this budget'}
      verb={isTaken ? 'Take it away' : 'Set it'}
      tone={isTaken ? 'grave' : 'main'}
      canDo={isRight || isTaken}
      act={() => change('/api/limits', { tool: tool.value, per: per.value, unit, most: isTaken ? null : number })}
      onClose={onClose}
    >
      {isNew && (
        <div class="columns narrow">
          <ChoiceField of={tool} label="Of which CLI" among={CHOICES} words={WORDS} />
          <ChoiceField of={per} label="In each" among={['day', 'week', 'month', 'minute', 'once']} words={WORDS} />
          <ChoiceField of={chosenUnit} label="Counted in" among={isPace ? ['calls'] : UNITS} words={WORDS} />
        </div>
      )}
      <TextField
        of={most}
        label={isNew ? 'At the most' : `At the most, ${unit} of ${whose('all CLIs')} ${inEach(per.value)}`}
        mode="decimal"
        help={`Enter a number, ${isPace ? 1 : 0} or more${isNew ? '.' : '; empty removes the limit.'}`}
      />
      <p aria-live="polite" class="soft">
        {isRight && `From now on ${whose('all CLIs together')} may use ${amountOf(unit, number)} ${inEach(per.value)}.`}
      </p>
    </Confirm>
  );
}

const WORDS: Record<string, string> = { any: 'all together', usd: 'cost in US dollars', once: 'moment (at once)' };
