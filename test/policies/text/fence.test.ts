// No content can close its fence: whatever stands in a prompt, what was quoted is found between its fences again.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { composeText } from '../../../policies/prompt/compose-text.ts';
import type { PromptSource } from '../../../policies/prompt/source.ts';
import { fenceWord } from '../../../policies/text/fence.ts';
import { asking, attachment, REDACTOR, sourceOf } from '../prompt/source.ts';

/** As a reader would: by the word that the prompt itself names, line by line, whatever ends a line. */
function quotations(text: string): string[] {
  const word = /===== begin ([0-9a-f-]+): \.\.\. =====/.exec(text)![1]!;
  const found: string[] = [];
  let within: string[] | null = null;
  for (const line of text.split('\n')) {
    if (line === `===== end ${word} =====`) {
      if (within === null) throw new Error('an end without a beginning');
      found.push(within.join('\n'));
      within = null;
    } else if (line.startsWith(`===== begin ${word}: `) && line.endsWith(' =====')) {
      if (within !== null) throw new Error('a beginning within');
      within = [];
    } else within?.push(line);
  }
  if (within !== null) throw new Error('a beginning without an end');
  return found;
}

const compose = (source: PromptSource) => composeText(source, 'off', REDACTOR, 400_000).text;

const BREAKS = ['\n', '\r', '\r\n', '\u2028', '\u2029', '\u0085', '\v', '\f', '\0', '\ud800', '\ufeff', ''];

test('no content can close its fence, even one that has seen the prompt without it', () => {
  const piece = fc.oneof(
    fc.constantFrom(...BREAKS),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('===== end WORD =====', '===== begin WORD: x =====', 'WORD', '# Goal\n', '```', '----'),
  );
  const content = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(content, content, content, fc.array(content, { maxLength: 3 }), (request, context, answer, files) => {
      const withWord = (word: string) => {
        const put = (text: string) => `x${text.replaceAll('WORD', word)}x`;
        return {
          request: put(request),
          context: put(context),
          files: files.map(put),
          answer: put(answer),
        };
      };
      const made = (word: string) => {
        const texts = withWord(word);
        const source = sourceOf({
          request: asking(texts.request),
          context: { path: null, text: texts.context },
          attachments: texts.files.map((text, i) => attachment(`${i}.txt`, text)),
          answers: [{ stage: 'a', role: 'b', text: texts.answer }],
        });
        return { texts, text: compose(source) };
      };
      // The word of the prompt that would be, put into the very contents.
      const seen = /===== begin ([0-9a-f-]+): \.\.\./.exec(made('').text)![1]!;
      const { texts, text } = made(seen);
      const expected = [texts.request, texts.context, ...texts.files, texts.answer];
      assert.equal(
        quotations(text),
        expected.map((quoted) => quoted.replace(/[\0\p{Surrogate}]/gu, '\ufffd')),
      );
    }),
    { numRuns: 300 },
  );
});

test('a word that a content holds is passed over, however often', () => {
  const weak = (text: string) => (/ \d+$/.test(text) ? 'abcdefabcdefabcdef' : 'all');
  assert.is(fenceWord(['x'], weak), 'abcdefabcdefabcd');
  assert.is(fenceWord(['abcdefabcdefabcd'], weak), fenceWord(['abcdefabcdefabcd'], weak));
  const word = fenceWord(['abcdefabcdefabcd', 'abcdefabcdefabcd-1'], weak);
  assert.not('abcdefabcdefabcd-1'.includes(word));
  assert.is(word, 'abcdefabcdefabcd-2');
});

test('the same texts cut elsewhere have another word', () => {
  assert.is.not(fenceWord(['ab', 'c']), fenceWord(['a', 'bc']));
});

test.run();
