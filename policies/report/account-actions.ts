// Gives next actions for the account: a refused key or login, the service's quotas, and the task's own budget.

import { forUser, goOnLine, toDecide, toDo, toType } from '../facts/next-action.ts';
import { type BuiltIn, rowOf, type Tool } from '../facts/tools.ts';
import { ENDING_RULES } from '../rules/endings.ts';
import {
  goOn,
  isOwnCall,
  later,
  preflight,
  raiseBudget,
  rerun,
  type Situation,
  thenRerun,
  type WayOut,
} from './situation.ts';

const awaited: WayOut = (situation) => {
  const { verdict, called, again, startedAt } = situation;
  if (verdict.retry_at === null || again !== undefined || isOwnCall(situation)) return [];
  const untilReset = startedAt === undefined ? 0 : Date.parse(verdict.retry_at) - Date.parse(startedAt);
  // The time may be of a file that an agent wrote.
  const hours = Math.max(24, Math.ceil(untilReset / HOUR_MS)) || 24;
  const text = `or let the run wait for the reset, at most ${hours} hours`;
  return [toType(text, goOnLine(called, `--wait-for-reset ${hours}h`), 'pays')];
};

const HOUR_MS = 3_600_000;

const otherTool = (situation: Situation): string =>
  isOwnCall(situation)
    ? `or call another CLI than ${situation.tool}`
    : `or use another CLI than ${situation.tool} for the stage (\`tool\`, or \`fallback\`)`;

const resets: WayOut = (situation) => {
  const { verdict, tool } = situation;
  const again =
    verdict.retry_at === null
      ? rerun(situation, `when the limit of ${tool} is reset (time unknown), call ${tool} again`)
      : later(situation);
  return [again, ...awaited(situation), toDo(`${otherTool(situation)}, or raise the plan`)];
};

/** Waiting does not reset these. */
const paidFor: WayOut = (situation) => [
  toDo(`pay or top up at the provider of ${situation.tool}; waiting does not help`),
  thenRerun(situation),
  toDo(otherTool(situation)),
];

/** A cap of one call ended it, not the number of calls. */
const CAP_RULES: ReadonlySet<string> = new Set([ENDING_RULES.over_cap.id, 'stop-max-usd']);

const isOfCap = ({ verdict: { evidence } }: Situation): boolean =>
  CAP_RULES.has(evidence?.rule ?? '') || evidence?.limit?.unit === 'tokens' || evidence?.limit?.unit === 'usd';

const isOfTask = ({ verdict: { evidence } }: Situation): boolean =>
  evidence?.limit?.name === 'task_budget' || evidence?.limit?.name === 'rest_of_task_budget';

const higherCap: WayOut = (situation) => {
  const { sessionId, ranTools } = situation;
  const own = isOwnCall(situation) && !isOfTask(situation);
  const resume = own && sessionId ? ` and \`--resume-session ${sessionId}\`` : '';
  return [
    toDo('make the task smaller, or split it'),
    ...(ranTools ? [toDo('review what its tools did before the call was ended')] : []),
    forUser(
      'budget',
      own
        ? toDo(`call again with a higher \`--max-tokens\` or \`--max-usd\`${resume}`)
        : rerun(
            situation,
            `raise \`budgets.max_tokens\` or \`budgets.max_usd\` in the manifest, then call ${situation.tool} again`,
          ),
    ),
    toType('show the limits over all tasks and their use', `${situation.called.launcher} budget`),
  ];
};

const moreCalls: WayOut = (situation) => [
  toDecide('this task may pay for more calls: its budget is used up'),
  raiseBudget(situation),
  rerun(situation, 'then continue'),
];

export const BUDGET_ACTIONS = {
  plan: resets,
  period: resets,
  long_reset: resets,
  balance: paidFor,
  billing: paidFor,
  // A batch also pauses for a refused key.
  paused: (situation) =>
    situation.verdict.class === 'auth'
      ? KEY_ACTIONS.bad_credentials(situation)
      : [later(situation), ...awaited(situation), toDo(`${otherTool(situation)}, or raise the plan`)],
  own_limit: (situation) => [
    situation.verdict.retry_at === null
      ? rerun(situation, `when the running calls have ended, call ${situation.tool} again`)
      : later(situation),
    ...awaited(situation),
    toType('show all limits and their use', `${situation.called.launcher} budget`),
    toDo(otherTool(situation)),
  ],
  held: (situation) => [
    later(situation),
    ...awaited(situation),
    toType('show all holds', `${situation.called.launcher} budget`),
    // A supervision has no such flag.
    ...(situation.called.verb === 'supervise'
      ? []
      : [goOn(situation, 'or call anyway', situation.called, '--ignore-hold')]),
    toDo(otherTool(situation)),
  ],
  budget: (situation) => (isOfCap(situation) ? higherCap(situation) : moreCalls(situation)),
} as const satisfies Record<string, WayOut>;

/** Finds which key or login a CLI uses, and what to do if it was refused: a login does not fix the user's own key. */
const SIGN_IN = {
  gemini: 'start `gemini` and sign in, or set GEMINI_API_KEY',
  copilot: 'start `copilot` and type /login, or set COPILOT_GITHUB_TOKEN',
  codex: 'start `codex login`',
  claude: 'start `claude` and type /login, or set ANTHROPIC_API_KEY',
} as const satisfies Record<BuiltIn, string>;

/** A proxy or a filter forbids the host of the service, for every caller. */
const isForbiddenByProxy = ({ verdict: { evidence } }: Situation): boolean =>
  evidence?.rule === 'access-proxy' && /\b403\b/.test(evidence.text);

const signInOf = (tool: Tool): string => rowOf(SIGN_IN, tool, `sign in to ${tool}, or set its key`);

/** How the variables of a user's own provider begin, and what to do if it or its login fails. */
const PROVIDERS: Readonly<Record<BuiltIn, readonly { begins: string; fix: string }[]>> = {
  gemini: [],
  copilot: [
    {
      begins: 'COPILOT_PROVIDER_',
      fix: 'copilot was refused by the provider of COPILOT_PROVIDER_BASE_URL: set a valid COPILOT_PROVIDER_API_KEY (or COPILOT_PROVIDER_BEARER_TOKEN)',
    },
  ],
  codex: [],
  claude: [
    {
      begins: 'CLAUDE_CODE_USE_BEDROCK',
      fix: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or AWS_BEARER_TOKEN_BEDROCK), or sign in with `aws sso login`: CLAUDE_CODE_USE_BEDROCK makes claude use Amazon Bedrock',
    },
    {
      begins: 'CLAUDE_CODE_USE_VERTEX',
      fix: 'set GOOGLE_APPLICATION_CREDENTIALS, or sign in with `gcloud auth application-default login`: CLAUDE_CODE_USE_VERTEX makes claude use Google Cloud',
    },
    {
      begins: 'CLAUDE_CODE_USE_FOUNDRY',
      fix: 'set ANTHROPIC_FOUNDRY_API_KEY, or sign in with `az login`: CLAUDE_CODE_USE_FOUNDRY makes claude use Microsoft Foundry',
    },
  ],
};

/** The first thing to do about a key or login that was refused. */
function fixKey(situation: Situation): string {
  const { tool, key, verdict } = situation;
  const wanted = /environment variable:? [`'"]?(\w{3,80})/i.exec(verdict.evidence?.text ?? '')?.[1];
  if (wanted !== undefined) return `set ${wanted}, which ${tool} is configured to read its key from`;
  if (!key) return signInOf(tool);
  if (key.how !== 'signed_in') return key.fix;
  const provider = rowOf(PROVIDERS, tool, []).find(({ begins }) => key.by.startsWith(begins));
  if (provider !== undefined) return provider.fix;
  if (/^[A-Z][A-Z0-9_]{2,}(?: \(.*\))?$/.test(key.by)) {
    const seen =
      verdict.reason === 'not_signed_in'
        ? 'requested a sign-in although it is set'
        : 'used its value, and the service refused it';
    return `set a valid key or token in ${key.by}: ${tool} ${seen}`;
  }
  if (key.by.startsWith('provider '))
    return `${tool} used its ${key.by}: name a variable in its \`env_key\` (config.toml), and set that variable`;
  return signInOf(tool);
}

/** Explains why the CLI is not signed in, as far as this is known. */
const signInAgain: WayOut = (situation) => [
  toDo(fixKey(situation)),
  ...(situation.key && situation.key.how !== 'signed_in' ? [toDo(`note: ${situation.key.because}`)] : []),
  preflight(situation),
  rerun(situation),
];

const isOwnProvider = ({ key }: Situation): boolean => key?.how === 'signed_in' && /provider/i.test(key.by);

export const KEY_ACTIONS = {
  bad_key: (situation) => signInAgain(situation),
  bad_credentials: (situation) => signInAgain(situation),
  not_signed_in: (situation) => signInAgain(situation),
  not_authorised: (situation) => [
    toDo(
      isOwnProvider(situation)
        ? `the key is valid but lacks the permission: grant it at the provider (${(situation.key as { by: string }).by}), or set the key of another account there`
        : `the account is valid but lacks the permission: ask its administrator to grant it, or sign in with another one (${signInOf(situation.tool)})`,
    ),
    toDo('or set a model or a tool that the account may use'),
    rerun(situation),
  ],
  client_retired: (situation) => [
    toDo(
      'set GEMINI_API_KEY (and choose "gemini-api-key" where settings.json names another sign-in): Google shut the sign-in of this client with a personal account, and a new sign-in does not fix it',
    ),
    preflight(situation),
    rerun(situation),
  ],
  region_unsupported: (situation) => [
    toDo(
      `a login does not fix this: run where the service is offered, or use another CLI than ${situation.tool} for the stage`,
    ),
    rerun(situation),
  ],
  proxy_auth: (situation) => [
    ...(isForbiddenByProxy(situation)
      ? [toDo('ask the administrator of the proxy to allow the host of the service, or name that host in NO_PROXY')]
      : []),
    toDo('put the user and the password of the proxy into the URL in HTTPS_PROXY, before its host and an @'),
    toDo('or sign in to the network itself, if it has a sign-in page (HTTP 511): open any web page in a browser'),
    preflight(situation),
    rerun(situation),
  ],
} as const satisfies Record<string, WayOut>;
