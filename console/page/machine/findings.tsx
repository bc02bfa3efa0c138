// Shows what preflight found on the machine, and how to fix each finding.

import type { CheckFinding } from '../../../policies/facts/finding.ts';
import { Mark } from '../parts/mark.tsx';
import { Table } from '../parts/table.tsx';
import { Words } from '../text/words.tsx';

const LOOKS = {
  ok: { tone: 'good', icon: 'done', word: 'ok' },
  note: { tone: 'calm', icon: 'none', word: 'note' },
  warn: { tone: 'wait', icon: 'waiting', word: 'warning' },
  fail: { tone: 'bad', icon: 'failed', word: 'fails' },
} as const satisfies Record<CheckFinding['status'], object>;

const HEADS = ['Check', 'How it is', 'Found'] as const;

export function Findings({ of }: { of: readonly CheckFinding[] }) {
  return (
    <Table label="Checks" heads={HEADS}>
      {of.map(({ check, status, found, fix }) => (
        <tr key={`${check} ${found}`}>
          <th scope="row">
            <Words of={check} />
          </th>
          <td>
            <Mark {...LOOKS[status]} />
          </td>
          <td class="wide">
            <Words of={found} />
            {fix && (
              <p class="dim">
                <Words of={fix} />
              </p>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
