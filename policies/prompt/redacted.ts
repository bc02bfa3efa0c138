// A prompt's sources without secrets: each text by itself, before fences stand between them, so that no fence is touched.

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
  const { head, tail, left } = holds.excerpt;
  return { ...shown, holds: { how: 'text', excerpt: { head: clean(head), tail: clean(tail), left } } };
}

/** No CLI takes a NUL, and half a character has no bytes. */
const wellFormed = (text: string): string => text.replace(/[\0\p{Surrogate}]/gu, '\uFFFD');

/** A file may be called anything but `/`: line breaks and other marks of control are spelt out. */
const oneLine = (name: string): string =>
  name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`);
