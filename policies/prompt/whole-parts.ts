// The parts of a prompt in their order, with nothing left out.

import { withoutSection } from '../markdown/sections.ts';
import { shorten, wholeText } from './excerpt.ts';
import { type Part, quoted, told } from './part.ts';
import { ANSWER_WITH_DIFF } from './rules.ts';
import type { Answer, Attachment, PromptSource } from './source.ts';

/** What a log may have in a prompt, whatever the digest: its interest is in its ends. */
export const LOG_CHARS = 100_000;
/** Any other attachment: about half of what the smallest limit of a CLI takes. */
export const ATTACHMENT_CHARS = 500_000;

export function wholeParts(source: PromptSource): Part[] {
  return [
    ...openingParts(source),
    ...requestPart(source),
    ...contextPart(source),
    ...source.attachments.map(attachmentPart),
    ...answerParts(source),
    ...closingParts(source),
  ].filter((part) => part.kind === 'reading' || part.kind === 'attachment' || part.excerpt.head.trim() !== '');
}

export function openingParts({ rules, template, role, goal }: PromptSource): Part[] {
  return [
    told('rules', 'Rules', rules),
    told('reading', 'How to read this', ''),
    told(
      'role',
      `Your part: ${role.name}`,
      role.answersWithDiff ? `${template.trim()}\n\n${ANSWER_WITH_DIFF}` : template,
    ),
    told('goal', 'Goal', goal),
  ];
}

export const requestPart = ({ request }: PromptSource): Part[] =>
  request === null ? [] : [quoted('request', 'Request', 'request', wholeText(request.text))];

const contextPart = ({ context }: PromptSource): Part[] =>
  context === null ? [] : [quoted('context', 'Context', 'context', wholeText(context.text))];

function attachmentPart({ name, bytes, holds }: Attachment): Part {
  if (holds.how === 'binary')
    return listed(name, `- ${name}: [binary, ${bytes} bytes, sha256 ${holds.sha256}: not included]`);
  if (holds.how === 'forbidden')
    return listed(name, `- ${name}: [forbidden by ${holds.glob}: not included; leave it alone]`);
  const [lean, max] = isLog(name) ? (['tail', LOG_CHARS] as const) : (['head', ATTACHMENT_CHARS] as const);
  const excerpt = shorten(holds.excerpt, max, lean);
  return { ...quoted('attachment', 'Attachments', name, excerpt), label: `${name}, ${bytes} bytes`, lean };
}

const listed = (name: string, line: string): Part => ({ ...told('attachment', 'Attachments', line), name });

/** A log says at its end what went wrong. */
export const isLog = (name: string): boolean => /\.(?:log|err|out|stderr|stdout|trace|jsonl)(?:\.\d+)?$/i.test(name);

/** What was handed off stands under "Context" already. */
export function answerParts({ answers, context }: PromptSource): Part[] {
  return answers.map(({ stage, role, text }: Answer) => {
    const rest =
      context?.path === null ? withoutSection(text, 'Updated Context Pack', '(under "Context" above)') : text;
    const part = quoted('answer', 'Earlier answers of this task', `answer of ${stage}`, wholeText(rest));
    return { ...part, label: `answer of ${stage} (${role})` };
  });
}

export function closingParts(source: PromptSource): Part[] {
  return [
    told('scope', 'Allowed scope', scopeOf(source)),
    told('prohibited', 'Do not change', prohibitedOf(source)),
    told('acceptance', 'Acceptance', acceptanceOf(source)),
    told('form', 'Your answer', formOf(source)),
  ];
}

function scopeOf({ allow, role }: PromptSource): string {
  if (role.access === 'read' && !role.answersWithDiff)
    return `You change no file in this part.${allow.length === 0 ? '' : ` The changes of this task are allowed in these globs only:\n\n${list(allow)}`}`;
  return allow.length === 0
    ? 'The whole tree, but for what is named below.'
    : `Only what these globs match may be added, changed or deleted:\n\n${list(allow)}`;
}

function prohibitedOf({ deny, forbidden }: PromptSource): string {
  return [
    ...(deny.length === 0 ? [] : [`Whatever these globs match stays as it is:\n\n${list(deny)}`]),
    ...(forbidden.length === 0
      ? []
      : [`Whatever these globs match is secret: do not open, quote or change it:\n\n${list(forbidden)}`]),
  ].join('\n\n');
}

function acceptanceOf({ criteria, commands }: PromptSource): string {
  return [
    ...(criteria.length === 0 ? [] : [list(criteria)]),
    ...(commands.length === 0
      ? []
      : [`The dispatcher runs these commands in the tree, and each must exit 0:\n\n${list(commands.map(asCode))}`]),
  ].join('\n\n');
}

function formOf({ role, schema }: PromptSource): string {
  return [
    ...(schema === null
      ? []
      : [
          `It is one JSON value that this JSON Schema takes, with nothing before or after it:\n\n${JSON.stringify(schema, null, 2)}`,
        ]),
    ...(role.requires.length === 0
      ? []
      : [
          `It must have these sections, each under a Markdown heading that is spelt exactly so:\n\n${list(role.requires.map(asHeading))}`,
        ]),
    ...(role.minLines === 0 ? [] : [`It must have at least ${role.minLines} lines with text.`]),
  ].join('\n\n');
}

const asHeading = (title: string): string => asCode(title.startsWith('#') ? title : `## ${title}`);

const asCode = (text: string): string => (/[`\n]/.test(text) ? text : `\`${text}\``);

const list = (items: readonly string[]): string =>
  items.map((item) => `- ${item.trim().replace(/\r\n|[\n\r]/g, '\n  ')}`).join('\n');
