// Builds the parts of a prompt in order, with nothing omitted.

import { figure } from '../text/display.ts';
import { withoutSection } from '../text/sections.ts';
import { wholeText } from './excerpt.ts';
import { instruction, type PromptPart, quoted } from './part.ts';
import { ANSWER_WITH_DIFF } from './rules.ts';
import type { AnswerSource, Attachment, PromptSource } from './source.ts';

/** How much of a list a digest keeps: of the globs of a scope, and of the commands. */
const LIST_LINES = 40;
const LIST_CHARS = 2000;

export function wholeParts(source: PromptSource): PromptPart[] {
  return [
    ...openingParts(source),
    ...requestPart(source),
    ...contextPart(source),
    ...changesPart(source),
    ...source.attachments.map(attachmentPart),
    ...answerParts(source),
    ...closingParts(source),
  ].filter((part) => part.kind === 'reading' || part.kind === 'attachment' || part.excerpt.head.trim() !== '');
}

export function openingParts({ rules, template, role, goal }: PromptSource): PromptPart[] {
  return [
    instruction('rules', 'Rules', rules),
    instruction('reading', 'How to read this', ''),
    instruction(
      'role',
      `Your part: ${role.name}`,
      role.answersWithDiff ? `${template.trim()}\n\n${ANSWER_WITH_DIFF}` : template,
    ),
    instruction('goal', 'Goal', goal),
  ];
}

export const requestPart = ({ request }: PromptSource): PromptPart[] =>
  request === null ? [] : [quoted('request', 'Request', 'request', wholeText(request.text))];

const contextPart = ({ context }: PromptSource): PromptPart[] =>
  context === null ? [] : [quoted('context', 'Context', 'context', wholeText(context.text))];

/** If nothing has changed, the part says so. */
export function changesPart({ changes }: PromptSource): PromptPart[] {
  if (changes === null) return [];
  const { since, text, files, forbidden } = changes;
  const apart = forbidden === 0 ? '' : `${figure(forbidden)} more forbidden and not included`;
  if (text === '')
    return [
      instruction(
        'changes',
        'Changes',
        `Nothing has changed since ${since}${apart === '' ? '' : `, except files: ${apart}`}.`,
      ),
    ];
  const part = quoted('changes', 'Changes', `changes since ${since}`, wholeText(text));
  const count = `${figure(files)} file${files === 1 ? '' : 's'}${apart === '' ? '' : `, ${apart}`}`;
  return [{ ...part, label: `${part.name} (${figure(text.length)} characters, ${count})` }];
}

function attachmentPart({ name, bytes, holds }: Attachment): PromptPart {
  if (holds.how === 'binary')
    return listed(name, `- ${name}: [binary, ${bytes} bytes, sha256 ${holds.sha256}: not included]`);
  if (holds.how === 'forbidden')
    return listed(name, `- ${name}: [forbidden by ${holds.glob}: not included; leave it alone]`);
  const lean = isLog(name) ? 'tail' : 'head';
  return { ...quoted('attachment', 'Attachments', name, holds.excerpt), label: `${name}, ${bytes} bytes`, lean };
}

const listed = (name: string, line: string): PromptPart => ({
  ...instruction('attachment', 'Attachments', line),
  name,
});

/** The end of a log shows what went wrong. */
const isLog = (name: string): boolean => /\.(?:log|err|out|stderr|stdout|trace|jsonl)(?:\.\d+)?$/i.test(name);

/** Text that was handed off is already under "Context". */
export function answerParts({ answers, context }: PromptSource): PromptPart[] {
  return answers.map(({ stage, role, text, unread = 0 }: AnswerSource) => {
    const rest =
      context?.path === null ? withoutSection(text, 'Updated Context Pack', '(under "Context" above)') : text;
    const part = quoted('answer', 'Earlier answers of this task', `answer of ${stage}`, {
      ...wholeText(rest),
      omitted: unread === 0 ? null : { lines: 0, chars: unread },
    });
    return { ...part, label: `answer of ${stage} (${role})` };
  });
}

/** @param lists `begun`: up to `LIST_LINES` and `LIST_CHARS`, with a note on where to get the rest. */
export function closingParts(source: PromptSource, lists: 'whole' | 'begun' = 'whole'): PromptPart[] {
  const listed = lists === 'whole' ? list : begin;
  return [
    instruction('scope', 'Allowed scope', scopeOf(source, listed)),
    instruction('prohibited', 'Do not change', prohibitedOf(source, listed)),
    instruction('acceptance', 'Acceptance', acceptanceOf(source, listed)),
    instruction('form', 'Your answer', formOf(source)),
  ];
}

type Listed = (items: readonly string[], rest: string) => string;

const ASK = '`tollgate scope ask PATH` answers';

function scopeOf({ allow, role }: PromptSource, listed: Listed): string {
  if (role.access === 'read' && !role.answersWithDiff)
    return `You change no file in this part.${allow.length === 0 ? '' : ` The changes of this task are allowed only in these globs:\n\n${listed(allow, ASK)}`}`;
  return allow.length === 0
    ? 'The whole tree, except what is named below.'
    : `Add, change or delete only paths that match these globs:\n\n${listed(allow, ASK)}`;
}

function prohibitedOf({ deny, forbidden }: PromptSource, listed: Listed): string {
  return [
    ...(deny.length === 0 ? [] : [`Do not change a path that matches these globs:\n\n${listed(deny, ASK)}`]),
    ...(forbidden.length === 0
      ? []
      : [`Files that match these globs are secret. Do not open, quote or change them:\n\n${listed(forbidden, ASK)}`]),
  ].join('\n\n');
}

/** The criteria are never cut. The prompt is the only place that names the conditions for the answer. */
function acceptanceOf({ criteria, commands }: PromptSource, listed: Listed): string {
  return [
    ...(criteria.length === 0 ? [] : [list(criteria)]),
    ...(commands.length === 0
      ? []
      : [
          `The dispatcher runs these commands in the tree, and each must exit 0:\n\n${listed(commands.map(asCode), 'they run too')}`,
        ]),
  ].join('\n\n');
}

function formOf({ role, schema }: PromptSource): string {
  return [
    ...(schema === null
      ? []
      : [
          `Answer with one JSON value that is valid against this JSON Schema, with nothing before or after it:\n\n${JSON.stringify(schema, null, 2)}`,
          ...(role.givesVerdict ? [VERDICT_AS_JSON] : []),
        ]),
    ...(role.requires.length === 0
      ? []
      : [
          `It must have these sections. Spell each Markdown heading exactly as here:\n\n${list(role.requires.map(asHeading))}`,
        ]),
    ...(role.minLines === 0 ? [] : [`It must have at least ${role.minLines} lines with text.`]),
  ].join('\n\n');
}

const VERDICT_AS_JSON = `\
Its property \`verdict\` is PASS or FAIL, spelt as the schema allows. It is FAIL if there is a blocker or a major finding,
or a criterion that is not met or was not checked. If the schema has \`findings\`, list the most serious first. Give each
its severity (\`blocker\`, \`major\` or \`minor\`), path and line, if the schema has properties for them.`;

const asHeading = (title: string): string => asCode(title.startsWith('#') ? title : `## ${title}`);

const asCode = (text: string): string => (/[`\n]/.test(text) ? text : `\`${text}\``);

const list = (items: readonly string[]): string =>
  items.map((item) => `- ${item.trim().replace(/\r\n|[\n\r]/g, '\n  ')}`).join('\n');

/** The first line is kept, however long it is. */
function begin(items: readonly string[], rest: string): string {
  let count = 0;
  let chars = 0;
  while (count < items.length && count < LIST_LINES && (count === 0 || chars + items[count]!.length <= LIST_CHARS))
    chars += items[count++]!.length + '- \n'.length;
  const more = items.length - count;
  return more === 0 ? list(items) : `${list(items.slice(0, count))}\n- ... and ${more} more; ${rest}`;
}
