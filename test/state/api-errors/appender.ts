// One of many processes that append to one log: `appender.ts FOLDER MAX_BYTES NAME COUNT`.

import { layOut } from '../../../policies/api-errors/log-format.ts';
import { appendToLog } from '../../../state/api-errors/append.ts';
import { entryOf } from './entries.ts';

const [folder, maxBytes, name, count] = process.argv.slice(2) as [string, string, string, string];
for (let i = 0; i < Number(count); i += 1) {
  const text = layOut(...entryOf(`${name}-${i}`, 'x'.repeat(200 * ((i % 5) + 1))));
  appendToLog(folder, 'api_errors.log', text, () => new Date(), Number(maxBytes));
}
