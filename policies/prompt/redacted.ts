// Redacts a prompt's sources. It redacts each text before the fences are added, so that no fence is changed.

import type { Redactor } from '../redact/redactor.ts';
import type { Attachment, PromptSource } from './source.ts';

export function redacted(source: PromptSource, redactor: Redactor): PromptSource {
  const clean = (text: string) => wellFormed(redactor.redact(text));
  const cleanAll = (texts: readonly string[]) => texts.map(clean);
  return {
    ...source,
    rules: clean(source.rules),
    template: clean(source.template),
    goal: clean(source.goal),
    request: source.request && { path: oneLine(clean(source.request.path)), text: clean(source.request.text) },
    context: source.context && {
      path: source.context.path && oneLine(clean(source.context.path)),
      text: clean(source.context.text),
    },
    changes: source.changes && { ...source.changes, text: clean(source.changes.text) },
    attachments: source.attachments.map((attachment) => cleanAttachment(attachment, clean)),
    answers: source.answers.map((answer) => ({ ...answer, text: clean(answer.text) })),
    allow: cleanAll(source.allow),
    deny: cleanAll(source.deny),
    forbidden: cleanAll(source.forbidden),
    criteria: cleanAll(source.criteria),
    commands: cleanAll(source.commands),
    schema: source.schema && JSON.parse(clean(JSON.stringify(source.schema))),
  };
}

function cleanAttachment(attachment: Attachment, clean: (text: string) => string): Attachment {
  const { name, path, holds } = attachment;
  const shown = { ...attachment, name: oneLine(clean(name)), path: oneLine(clean(path)) };
  if (holds.how !== 'text') return shown;
  const { head, tail, omitted } = holds.excerpt;
  return { ...shown, holds: { how: 'text', excerpt: { head: clean(head), tail: clean(tail), omitted } } };
}

/** No CLI accepts a NUL, and half a surrogate pair cannot be encoded. */
const wellFormed = (text: string): string => text.replace(/[\0\p{Surrogate}]/gu, '\uFFFD');

/** A file name may contain any character but `/`. So line breaks and control characters are spelt out. */
const oneLine = (name: string): string =>
  name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`);
