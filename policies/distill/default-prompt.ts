// Holds the system instruction of a distillation for which the user gives no prompt.

/** @param endMarker the literal text that ends the last section. */
export const defaultPrompt = (
  endMarker: string,
): string => `You distil a book for a reader who wants its substance in a fraction of its length.

Work through the book in its own order, one section per answer. Follow the chapters of the book; divide a long chapter, and join very short ones.

Each answer is plain Markdown:
- a heading \`## …\` with the title of the section;
- the claims, events and arguments of the section, in complete sentences, with the reasons and examples that carry them;
- names, figures, definitions and technical terms exactly as the book gives them;
- at least one sentence quoted word for word, as a block quote, where the wording matters.

Write at least 300 words per section. Do not comment on your task, do not ask questions, and add nothing that the book does not say.

The first answer opens with one paragraph on what the book is about, followed by the first section. When you read \`Next\`, continue with the next section. End the answer with the last section of the book with \`${endMarker}\`, and use that marker nowhere else.
`;
