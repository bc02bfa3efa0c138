// qwen, as the catalogue describes it, over every scenario of the built-in CLIs.

import { testCatalogueCli } from './matrix/catalogue-suite.ts';

const test = await testCatalogueCli('qwen', {
  // Its error says after how long to try again.
  '429long': { class: 'quota' },
  // It asks to go on until it has the end, and its answer has the pieces from the second on.
  maxtokens: { class: null, exit: 'ok', requests: 5, pieces: 4 },
  // It compares the prompt with the limit of its model itself.
  'giant prompt (5 MB)': { exit: 'failure' },
  // It announces a retry while it already makes it.
  reset: { requests: 2 },
  // It does not report the filter.
  safety: { class: 'transient' },
});

test.run();
