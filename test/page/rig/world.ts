// A project with tasks in every state, made by real runs over the fakes: what the page has to show.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { BuiltIn } from '../../../policies/facts/tools.ts';
import { type DocumentApi, startDocumentApi } from '../../rig/document-api.ts';
import type { FakeCall, FakeCommand } from '../../rig/fake-call.ts';
import { makeSession, SESSION_IDS } from '../../rig/session-files.ts';
import { answerWith, failWith, STREAMS, write } from '../../rig/streams.ts';
import { superviseTask } from '../../rig/supervise-run.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

/** What a fake does by the words of its prompt: the first row that matches. */
export type Script = readonly (readonly [
  says: RegExp,
  does: (tool: BuiltIn, call: FakeCall) => readonly FakeCommand[],
])[];

export const stageOf = (tool: BuiltIn, role: string, more: object = {}) => ({ tool, role, ...ANY_ANSWER, ...more });

const OVERLOADED =
  'got status: UNAVAILABLE. {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}';
const REASONED = { action: 'ask', question: 'Which of the two date formats do the invoices of 2019 use?' };

const STORY: Script = [
  [
    /rotate the signing keys/i,
    (tool) => failWith(tool, 'unexpected status 401 Unauthorized: your key was revoked', 401) as FakeCommand[],
  ],
  [/nightly import|search index/i, (tool) => failWith(tool, OVERLOADED, 503) as FakeCommand[]],
  [
    /migrate the invoices/i,
    (tool) =>
      (tool === 'gemini'
        ? answerWith(tool, JSON.stringify(REASONED))
        : answerWith(
            tool,
            [
              'The invoices of 2019 have dates such as 03/04/2019.',
              'The old parser reads it as 3 April, the new one as March 4. 14 invoices are ambiguous.',
            ].join('\n'),
          )) as FakeCommand[],
  ],
  [
    /flaky checkout/i,
    (tool) => [
      write(STREAMS[tool].opens('00000000-0000-4000-8000-00000000000a')),
      write(STREAMS[tool].runsTool('running 212 tests')),
      { do: 'hang' },
    ],
  ],
  [/say nothing/i, (tool) => answerWith(tool, 'Done.') as FakeCommand[]],
  [/.*/s, (tool) => answerWith(tool, ANSWER) as FakeCommand[]],
];

const ANSWER = `# Findings

The rounding happens **twice**: once in \`lib/price.ts\`, and once more where the sum is shown.

| case | now | wanted |
|---|---|---|
| 3 × 0.335 | 1.02 | 1.01 |
| 0.5 % off | 9.95 | 9.95 |

1. Round the sum alone.
2. Keep four digits until then.

> The invoices of last year stay as they are.
`;

const KEY = 'test-key-of-the-loopback-service';

export interface World {
  rig: TestRig;
  /** The service that distils books. */
  books: DocumentApi;
  /** It answers nobody until what this gives is called. */
  holdBooks(): () => void;
  dispose(): Promise<void>;
}

export async function openWorld(script: Script = STORY): Promise<World> {
  const rig = await TestRig.open();
  mkdirSync(path.join(rig.project, '.tmp'), { recursive: true });
  rig.answer((call) => {
    const { tool, stdin } = call.report;
    const [, does] = script.find(([says]) => says.test(stdin.text)) ?? script.at(-1)!;
    return does(tool, call) as FakeCommand[];
  });
  let held: Promise<void> | null = null;
  const books = await startDocumentApi({ key: KEY, looks: -1, wait: () => held });
  Object.assign(rig.env, { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: books.url });
  return {
    rig,
    books,
    holdBooks() {
      let release = () => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      return () => {
        held = null;
        release();
      };
    },
    async dispose() {
      await books.close();
      await rig.dispose();
    },
  };
}

/** Ended ones; what is at work is begun by whoever wants it. */
export async function fillWorld({ rig }: World): Promise<void> {
  await fillTasks(rig);
  fillSession(rig);
  await fillBook(rig);
}

const BUDGETS = { retry_budget: 0 };

async function fillTasks(rig: TestRig): Promise<void> {
  rig.write('tollgate.yaml', 'sessions: {rest_sec: 0}\n');
  rig.write('src/price.ts', 'export const total = (n: number) => Math.round(n * 100) / 100;\n');
  const tasks = [
    [
      'price-rounding',
      'Find out why totals are a cent off.',
      [stageOf('gemini', 'brief'), stageOf('copilot', 'review')],
    ],
    ['release-notes', 'Write the release notes of version 4.2.', [stageOf('claude', 'brief')]],
    ['rotate-keys', 'Rotate the signing keys of the staging cluster.', [stageOf('codex', 'brief')]],
    [
      'nightly-import',
      'See why the nightly import has doubled rows.',
      [stageOf('gemini', 'brief'), stageOf('codex', 'review')],
    ],
    ['search-index', 'Rebuild the search index without an outage.', [stageOf('gemini', 'brief')]],
  ] as const;
  for (const [id, goal, stages] of tasks) await makeTask(rig, { goal, stages, budgets: BUDGETS }, id).run();
  makeTask(rig, { goal: 'Split the settings page in two.', stages: [stageOf('gemini', 'brief')] }, 'settings-page');
  await superviseTask(rig, { goal: 'Migrate the invoices to the new date parser.' }, 'invoice-dates').supervise();
}

function fillSession(rig: TestRig): void {
  makeSession('gemini', rig, [
    {
      prompt: 'Read lib/price.ts and say where the sum is rounded.',
      answer: 'In `total()`, and once more in the view.',
      thought: 'Two places, then.',
    },
    {
      prompt: 'Which tests see it?',
      tool: { name: 'run_shell_command', input: { command: 'grep -rn round test' }, output: 'test/price.test.ts:12' },
      answer: 'One: test/price.test.ts.',
    },
    { prompt: 'Mend it in the view alone.', answer: 'Done: the view shows what it is given.' },
  ]);
}

export const SESSION_OF_GEMINI = SESSION_IDS.gemini;

/** One book that is complete. */
async function fillBook(rig: TestRig): Promise<void> {
  rig.write('books/walden.txt', 'Walden; or, Life in the Woods.\n');
  rig.write('distil.md', 'Distil this book, a chapter a turn.\n');
  const words = ['books/walden.txt', '--prompt=distil.md', '--model=gemini-2.5-pro'];
  const { code, stderr } = await rig.run('tollgate', ['distill', ...words]);
  if (code !== 0) throw new Error(`the book was not distilled: ${stderr}`);
}
