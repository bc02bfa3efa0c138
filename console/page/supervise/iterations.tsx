// The iterations of a supervised task: what the reasoner said, how often it failed in a row, and what the worker is told.

import type { IterationCells } from '../../../policies/supervise/iteration-table.ts';
import { Table } from '../parts/table.tsx';
import { Words } from '../text/words.tsx';

const HEADS = [{ number: 'Iteration' }, 'Reasoner', 'Errors in a row', 'Action', 'Instruction'] as const;

export function Iterations({ rows }: { rows: readonly IterationCells[] }) {
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
