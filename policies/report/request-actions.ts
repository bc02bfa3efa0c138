// Gives next actions for problems of the request and its session: its model, its size, its permissions, its history.

import { type NextAction, toDo, toType } from '../facts/next-action.ts';
import { type BuiltIn, rowOf } from '../facts/tools.ts';
import { shellWord } from '../text/display.ts';
import { change, isOwnCall, rerun, type Situation, thenRerun, type WayOut } from './situation.ts';

const LIST_MODELS = {
  claude: '`claude` and /model; the short names opus, sonnet and haiku are always known',
  codex: 'codex debug models (its catalogue, without a paid call)',
  copilot: 'copilot help config (under `model`, without a paid call)',
  gemini: '`gemini` and /model; the short names auto, pro, flash and flash-lite are always known',
} as const satisfies Record<BuiltIn, string>;

const otherModel: WayOut = (situation) => {
  const known = modelsIn(situation.verdict.evidence?.text ?? '');
  return [
    change(
      situation,
      'model',
      'name a model that exists',
      "name a model that exists, since the CLI's own choice does not",
    ),
    toDo(
      known.length > 0
        ? `choose among the models that ${situation.tool} named: ${known.join(', ')}`
        : `list the models that it knows with ${rowOf(LIST_MODELS, situation.tool, `${situation.tool} --help`)}`,
    ),
    // The same command would name the same model.
    isOwnCall(situation) && situation.namesModel ? toDo(`then call ${situation.tool} again with it`) : rerun(situation),
  ];
};

/** Every current model accepts a prompt of this size. So for a smaller prompt, something else is too large. */
const SMALL_PROMPT = 40_000;

const CONTEXT_OF = {
  gemini: 'GEMINI.md files, extensions and MCP servers',
  copilot: 'AGENTS.md and copilot-instructions.md, skills and MCP servers',
  codex: 'AGENTS.md files, skills and MCP servers',
  claude: 'CLAUDE.md files, skills, plugins and MCP servers',
} as const satisfies Record<BuiltIn, string>;

const smaller: WayOut = (situation) => [
  ...(situation.largeParts ?? []).map(toDo),
  toDo('attach less, or split the task into smaller ones'),
  thenRerun(situation),
];

const tooLarge: WayOut = (situation) => {
  const { promptChars: chars, resumed, tool } = situation;
  if (chars === undefined || chars > SMALL_PROMPT) return smaller(situation);
  const cause = `${resumed ? 'the history of its session, or ' : ''}what ${tool} adds by itself`;
  const first = `note: the prompt itself (${chars} characters) is not too large; ${cause} is`;
  return [
    toDo(first),
    situation.namesSession
      ? rerun(situation, `remove meta.session_id from the manifest, then call ${tool} again in a fresh session`)
      : rerun(situation, `call ${tool} again in a fresh session`),
    toDo(
      `if it fails the same way again, shorten what ${tool} adds by itself (${rowOf(CONTEXT_OF, tool, 'its instructions and servers')})`,
    ),
    change(situation, 'model', 'or name a model with a larger context', 'or name a model with a larger context'),
  ];
};

const filtered: WayOut = (situation) => [
  toDo('remove or rephrase what the service refuses (the evidence names its policy)'),
  toDo(`or use another model or CLI than ${situation.tool} for the stage`),
  thenRerun(situation),
];

const fewerTurns = (situation: Situation): NextAction[] => [
  change(situation, 'max_turns', 'if the work needs more turns, raise', 'make the task smaller, or allow more turns'),
  thenRerun(situation),
];

const lessOutput = (situation: Situation): NextAction[] => [
  toDo('ask for less output, or split the task into smaller ones'),
  thenRerun(situation),
];

const askForJson = (situation: Situation): NextAction[] => [
  toDo('explain each part of the schema in the prompt, or simplify the schema (the evidence names what does not fit)'),
  thenRerun(situation),
];

const simplerSchema = (situation: Situation): NextAction[] => [
  toDo('simplify the schema: a pattern with nested repeats, such as (a+)+, can take forever'),
  thenRerun(situation),
];

/** The warnings of the call's record name the missing permission. */
const allowTool = (situation: Situation): NextAction[] => [
  toDo(
    'if the agent may use that tool, allow it as the warning describes; otherwise state in the prompt what it may do instead',
  ),
  thenRerun(situation),
];

export const REQUEST_ACTIONS = {
  tool_denied: allowTool,
  not_json: askForJson,
  schema_mismatch: askForJson,
  schema_unchecked: simplerSchema,
  model_not_found: otherModel,
  not_found: (situation) => [
    toDo(
      `check that the address and the model are those of the service: the base URL in the settings or environment of ${situation.tool}`,
    ),
    change(situation, 'model', 'and the model', 'and, if the model does not exist, set one'),
    rerun(situation),
  ],
  over_limit: tooLarge,
  prompt_limit: smaller,
  prompt_cut: smaller,
  content_filter: filtered,
  max_turns: fewerTurns,
  output_overflow: lessOutput,
  output_limit: lessOutput,
  answer_too_large: lessOutput,
  unstructured_answer: askForJson,
} as const satisfies Record<string, WayOut>;

/** In the order of the text; empty if the text names no model. */
export function modelsIn(text: string): string[] {
  const listed = LIST.exec(text)?.[1] ?? HINT.exec(text)?.[1] ?? '';
  const names = listed.split(/[\s,;|`'"[\](){}]+|\band\b|\bor\b/).map((word) => word.replace(/[.:?!]+$/, ''));
  return [...new Set(names.filter((name) => NAME.test(name)))].slice(0, MOST);
}

const LIST =
  /\b(?:available|supported|valid|allowed|known|accessible|possible) (?:models?|choices|values|options)(?: names?)?(?: (?:are|is|include))?\s{0,3}[:=]?\s{1,3}([^\n]{3,600})/i;

const HINT = /\b(?:did you mean|use|try|switch to|instead)\b:?\s{0,3}(?:the model\s)?([`'"]?[\w./:-]{3,80}[`'"]?)/i;

/** A plain word is not a model: every model name has a digit or a dash. */
const NAME = /^(?=[\w./:-]*[\d-])[A-Za-z][\w./:-]{2,79}$/;

const MOST = 12;

/** Gives next actions for failures that the session itself causes. */
export const SESSION_ACTIONS = {
  broken_history: (situation) => {
    const { called, ranTools, sessionId, tool } = situation;
    if (!sessionId) return [rerun(situation, `call ${tool} again in a fresh session`)];
    const fresh = ranTools
      ? `or review what its tools did, because a fresh session does not know it, then call ${tool} again`
      : `or call ${tool} again in a fresh session`;
    return [
      toType(
        'repair the session, or remove its last step, without a paid call',
        `${called.launcher} recover ${shellWord(sessionId)} --choose clear`,
      ),
      rerun(situation, fresh),
    ];
  },
  session_id: (situation) => {
    const { called, namesSession, tag } = situation;
    if (namesSession || tag === undefined)
      return [
        toType('see which sessions exist', `${called.launcher} sessions list`),
        toDo(
          isOwnCall(situation)
            ? 'use one of them with --resume-session, or omit the flag'
            : 'use one of them for meta.session_id in the manifest, or remove the line',
        ),
        thenRerun(situation),
      ];
    return [
      toType(
        'forget this session, so that the next call begins a fresh one',
        `${called.launcher} sessions forget ${shellWord(tag)}`,
      ),
      thenRerun(situation),
    ];
  },
  session_busy: (situation) => {
    const which = situation.sessionId ? ` ${situation.sessionId}` : '';
    return [toDo(`close the ${situation.tool} in which the session${which} is open`), thenRerun(situation)];
  },
} as const satisfies Record<string, WayOut>;
