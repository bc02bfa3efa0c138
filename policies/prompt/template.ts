// Expands templates: `{{> name}}` includes another one, `{{goal}}` inserts a variable of the task, `{{{{` is a literal `{{`.

import { nearest } from '../text/nearest.ts';

interface Template {
  /** The name that messages use. */
  name: string;
  text: string;
}

export type LookedUp = { how: 'found'; template: Template } | { how: 'invalid'; message: string };

type ExpandedTemplate = { how: 'read'; text: string } | { how: 'invalid'; message: string };

interface TemplateSurroundings {
  /** Finds the template that `wanted` means in the template called `from`. */
  lookUp(wanted: string, from: string): LookedUp;
  variables: Readonly<Record<string, string>>;
}

/** Far more than a person writes. A few files that include each other twice would exceed any memory. */
const MAX_CHARS = 1024 * 1024;

/** Inserted text is not expanded again: a goal that contains `{{` remains as it is. */
export function expandTemplate(template: Template, surroundings: TemplateSurroundings): ExpandedTemplate {
  return expand(template, { ...surroundings, known: new Map() }, []);
}

interface Expansion extends TemplateSurroundings {
  /** The templates included already, by name: files that include each other twice would double at each level. */
  known: Map<string, string>;
}

function expand(template: Template, expansion: Expansion, chain: Step[]): ExpandedTemplate {
  let text = '';
  let taken = 0;
  for (const { 0: tag, 1: body, index } of template.text.matchAll(TAG)) {
    text += template.text.slice(taken, index);
    taken = index + tag.length;
    const step = { template, index, tag };
    const put = tag === '{{{{' ? { how: 'read' as const, text: '{{' } : fill(body, [...chain, step], expansion);
    if (put.how === 'invalid') return put;
    text += put.text;
    if (text.length > MAX_CHARS)
      return invalid([...chain, step], `makes a template of more than ${MAX_CHARS} characters`);
  }
  return { how: 'read', text: text + template.text.slice(taken) };
}

/** One tag on the path to the current place. */
interface Step {
  template: Template;
  index: number;
  tag: string;
}

/** The last alternative is a `{{` without a closing `}}`. */
const TAG = /\{\{\{\{|\{\{([^{}\n]*)\}\}|\{\{/g;

function fill(body: string | undefined, chain: Step[], expansion: Expansion): ExpandedTemplate {
  if (body === undefined) return invalid(chain, 'is not closed by }} on its line; a literal {{ is written {{{{');
  if (body.startsWith('>')) return include(body.slice(1).trim(), chain, expansion);
  const { variables } = expansion;
  const name = body.trim();
  if (Object.hasOwn(variables, name)) return { how: 'read', text: variables[name]! };
  const known = Object.keys(variables);
  const near = nearest(name, known);
  return invalid(
    chain,
    `is not a variable${near === null ? '.' : `; did you mean {{${near}}}?`} There are ${known.join(', ')}; a literal {{ is written {{{{`,
  );
}

function include(wanted: string, chain: Step[], expansion: Expansion): ExpandedTemplate {
  const found = expansion.lookUp(wanted, chain.at(-1)!.template.name);
  if (found.how === 'invalid') return invalid(chain, found.message);
  const { template } = found;
  const names = [...chain.map((step) => step.template.name), template.name];
  if (names.indexOf(template.name) < names.length - 1)
    return invalid(chain, `includes itself: ${names.slice(names.indexOf(template.name)).join(' > ')}`);
  const known = expansion.known.get(template.name);
  if (known !== undefined) return { how: 'read', text: known };
  const expanded = expand(template, expansion, chain);
  if (expanded.how === 'invalid') return expanded;
  // The line that contains the tag has its own line end.
  const text = expanded.text.replace(/\r?\n$/, '');
  expansion.known.set(template.name, text);
  return { how: 'read', text };
}

function invalid(chain: readonly Step[], why: string): ExpandedTemplate {
  const last = chain.at(-1)!;
  const way = chain.slice(0, -1).map(placeOf).join(' > ');
  return {
    how: 'invalid',
    message: `${placeOf(last)}: ${last.tag} ${why}${way === '' ? '' : ` (included by ${way})`}`,
  };
}

const placeOf = ({ template, index }: Step): string =>
  `${template.name}:${template.text.slice(0, index).split('\n').length}`;
