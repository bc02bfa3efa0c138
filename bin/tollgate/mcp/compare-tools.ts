// Defines the tools that compare several CLIs, models or accounts, and that apply the changes of one of them.

import { wanted } from '../../../console/server/changes/begun.ts';
import { findComparison } from '../../../loops/compare/comparison.ts';
import type { WantedRun } from '../../../loops/report/carried-run.ts';
import { projectState } from '../../../state/task-folder.ts';
import type { Access } from '../../../wrappers/adapter.ts';
import { run as compare } from '../compare/compare.ts';
import { dollars, flagsOf, hashOf, TRUST } from './requests.ts';
import {
  ACCESS,
  COUNT,
  DOLLARS,
  GIVES,
  giving,
  LIST,
  type McpTool,
  type ServerSettings,
  TASK,
  type ToolCaller,
  type ToolResult,
  taking,
  WAIT,
} from './tool.ts';
import { verbTool } from './verb.ts';

type BeginAndWait = (
  wanted: WantedRun | string,
  given: Record<string, unknown>,
  caller: ToolCaller,
) => Promise<ToolResult>;

export const compareTools = (beginAndWait: BeginAndWait): readonly McpTool[] => [
  {
    name: 'compare',
    title: 'Compare CLIs, models or accounts',
    about:
      'Sends one prompt or task to several variants at once, each in its own git worktree, within one budget. Answers with the answers and the sizes of the changes, or with state "running" and a run_id to wait for.',
    takes: taking({
      prompt: { type: 'string', maxLength: 100_000 },
      task: { ...TASK, description: 'a task, instead of a prompt' },
      resume: { ...TASK, description: 'a comparison to continue, or "last"; without the other arguments' },
      variants: {
        ...{ type: 'array', maxItems: 16, items: { type: 'string', pattern: '^[a-z][^\\n\\r]{0,200}$' } },
        description: 'two or more, each as TOOL[:MODEL][@ACCOUNT]',
      },
      access: { type: 'string', enum: ['read', 'write'], description: 'for a prompt; default: read' },
      max_calls: { type: 'integer', minimum: 2, maximum: 1000, description: 'paid calls of all variants together' },
      max_tokens: { type: 'integer', minimum: 2, description: 'tokens of all variants together' },
      max_usd: { ...DOLLARS, description: 'dollars of all variants together' },
      wait_ms: WAIT,
    }),
    gives: GIVES,
    changes: 'something',
    callsModel: true,
    act: (given, caller) => beginAndWait(compareWanted(given, caller.server), given, caller),
  },
  verbTool({
    name: 'pick_variant',
    title: 'Apply the changes of a variant',
    about: 'Applies what one variant of a comparison changed to the working tree, uncommitted and completely.',
    takes: taking(
      {
        variant: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$', description: 'its number or name' },
        comparison: { ...TASK, description: 'default: the last one' },
      },
      'variant',
    ),
    gives: giving({ n: COUNT, files: LIST }),
    changes: 'something',
    run: compare,
    refuses: (_, { access }) =>
      access === 'read'
        ? 'this server changes no file of the project; the user allows it by registering it with: tollgate mcp --access write'
        : null,
    argv: ({ variant, comparison }) => [
      `--pick=${variant}`,
      ...(comparison === undefined ? [] : [`--of=${comparison}`]),
    ],
  }),
];

/** @returns the run, or what is wrong with the request. */
function compareWanted(given: Record<string, unknown>, server: ServerSettings): WantedRun | string {
  const { prompt, task, resume, variants, access, max_calls, max_tokens, max_usd } = given;
  const chosen = [prompt, task, resume].filter((value) => value !== undefined);
  if (chosen.length !== 1) return 'give one of `prompt`, `task` and `resume`';
  const kept = resume === undefined ? null : findComparison(projectState(process.cwd(), process.env), String(resume));
  if (typeof kept === 'string') return kept;
  const most = access ?? (task !== undefined || kept?.writes ? 'write' : 'read');
  if (ACCESS.indexOf(most as Access) > ACCESS.indexOf(server.access))
    return `this server allows comparisons that read alone; the user allows more by registering it with: tollgate mcp --access write`;
  const flags = [
    ...(Array.isArray(variants) ? variants.map((variant) => `--with=${variant}`) : []),
    ...flagsOf({ access, resume, 'max-calls': max_calls, 'max-tokens': max_tokens, 'max-usd': dollars(max_usd) }),
  ];
  // A prompt may be the name of a task, which could write.
  const words = prompt !== undefined ? [`--prompt=${prompt}`] : task !== undefined ? ['--', String(task)] : [];
  const argv = ['compare', '--json', ...flags, ...(server.trustWorkspace ? [TRUST] : []), ...words];
  return wanted(`compare-${hashOf(argv).slice(0, 16)}`, null, argv);
}
