// The iterations of a supervised task: what the reasoner said, how often it failed in a row, and what the worker is told.

import type { IterationCells } from '../../../policies/supervise/iteration-table.ts';
import { Words } from '../text/words.tsx';

export function Iterations({ rows }: { rows: readonly IterationCells[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section class="table-box" tabIndex={0} aria-label="Iterations">
      <table>
        <thead>
          <tr>
            <th scope="col" class="number">
              Iteration
            </th>
            <th scope="col">Reasoner</th>
            <th scope="col">Errors in a row</th>
            <th scope="col">Action</th>
            <th scope="col">Instruction</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ iteration, reasoner, errors, action, instruction }) => (
            <tr key={iteration}>
              <td class="number">{iteration}</td>
              <td>{reasoner}</td>
              <td>{errors}</td>
              <td>{action}</td>
              <td>
                <Words of={instruction} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
