// Reads the JSON value of an answer: the whole text, or its one code block.

import type { Finding } from '../facts/gate-record.ts';
import { fencesOf } from '../text/markdown.ts';
import { tried } from '../text/tried.ts';

/** `text`: the JSON alone. */
type JsonAnswer = { how: 'read'; value: unknown; text: string } | { how: 'invalid'; finding: Finding };

/** Uses the only block marked as JSON; if none is marked, the only block. With two, it is unclear which is meant. */
export function readJsonAnswer(answer: string): JsonAnswer {
  const whole = parse(answer.replace(/^\ufeff/, ''));
  if (whole.how === 'read') return whole;
  const fences = fencesOf(answer);
  const marked = fences.filter(({ language }) => language === 'json');
  const [block, another] = marked.length > 0 ? marked : fences;
  if (block === undefined) return invalid(`it is not JSON (${whole.why}), and holds no block of it`);
  if (another !== undefined)
    return invalid(`it holds ${(marked.length > 0 ? marked : fences).length} blocks of code, and must be one value`);
  const around = `${answer.slice(0, block.from)}\n${answer.slice(block.to)}`;
  if (holdsJson(around)) return invalid('it holds JSON beside its block of code, and must be one value');
  const inner = parse(block.body);
  return inner.how === 'read' ? inner : invalid(`its block of code is not JSON (${inner.why})`);
}

/** An object or a list in a line, or over several lines: the block may be an example, and this the value. */
const holdsJson = (text: string): boolean =>
  [...text.split('\n'), text].some((part) => {
    const [found = ''] = /[{[].*[}\]]/s.exec(part) ?? [];
    const value = tried(() => JSON.parse(found)) as unknown;
    return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  });

type Parsed = { how: 'read'; value: unknown; text: string } | { how: 'invalid'; why: string };

function parse(text: string): Parsed {
  try {
    return { how: 'read', value: JSON.parse(text), text: text.trim() };
  } catch (error) {
    if (text.trim() === '') return { how: 'invalid', why: 'it is empty' };
    // The engine's message contains text of the answer, and differs between versions of Node.
    const at = /at position (\d+)/.exec((error as Error).message)?.[1];
    return { how: 'invalid', why: at === undefined ? 'it breaks off or is malformed' : `wrong at character ${at}` };
  }
}

const invalid = (why: string): JsonAnswer => ({
  how: 'invalid',
  finding: {
    check: 'schema',
    class: 'contract_violation',
    reason: 'not_json',
    missing: ['one JSON value'],
    text: `the answer must be JSON: ${why}`,
    next_actions: [],
  },
});
