// opencode, as the catalogue describes it, over every scenario of the built-in CLIs.

import { testCatalogueCli } from './matrix/catalogue-suite.ts';

const test = await testCatalogueCli('opencode', {
  // It knows no limit of this model, and the model takes it.
  'giant prompt (5 MB)': { class: null, exit: 'ok', requests: 1 },
  // Its error says after how long to try again.
  '429long': { class: 'quota' },
  // It reports no error within an answer, and sends the request again: the second one shows it, and is cut.
  'ratelimit-event': { requests: 2 },
  'quota-event': { class: 'transient', requests: 2 },
  'toolong-event': { class: 'transient', requests: 2 },
  reset: { requests: 2 },
  // After an answer without an end it asks again at once: that request may be on its way.
  nodone: { requests: 2 },
  'captive portal': { requests: 2 },
  'tool-then-empty': { requests: 3 },
});

test.run();
