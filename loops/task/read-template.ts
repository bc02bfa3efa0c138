// Finds and expands the template of a stage: the task's own, else the project's, else the built-in one.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { ResolvedRole } from '../../policies/manifest/resolved-role.ts';
import { ANSWER_SECTIONS, ROLES } from '../../policies/manifest/roles.ts';
import { expandTemplate, type LookedUp } from '../../policies/prompt/template.ts';
import { nearest } from '../../policies/text/nearest.ts';
import type { Forbids } from '../tree/forbidden.ts';
import { readWithin } from '../tree/read-within-folder.ts';

interface TemplatePlace {
  stage: string;
  /** `json`: a built-in template does not ask for its Markdown sections. */
  answer?: 'sections' | 'json';
  task: string;
  root: string;
  forbids: Forbids;
  /** Called for each file that affects the result: read, or missing and read first. Named relative to its folder. */
  counted?(file: string): void;
}

export function readTemplate(
  place: TemplatePlace,
  { template }: Pick<ResolvedRole, 'template'>,
  variables: Readonly<Record<string, string>>,
): ReturnType<typeof expandTemplate> {
  if (template.from === 'built_in') {
    const first = lookUpBuiltIn(place, template.role);
    if (first.how === 'invalid') return first;
    return expandTemplate(first.template, { lookUp: (wanted) => lookUpBuiltIn(place, wanted), variables });
  }
  const folder = template.from === 'task' ? place.task : place.root;
  const ground = { folder, root: place.root, forbids: place.forbids };
  const readHere = (file: string) => {
    const read = readWithin(ground, file);
    if (read.how !== 'refused') place.counted?.(file);
    return read;
  };
  const read = readHere(template.file);
  if (read.how !== 'read') {
    const whose = template.from === 'task' ? 'its prompt' : 'the template that tollgate.yaml gives its role';
    const why = read.how === 'absent' ? `cannot be read in ${folder} (ENOENT)` : read.why;
    return { how: 'invalid', message: `stage ${place.stage}: ${whose}, ${template.file}, ${why}` };
  }
  const lookUp = (wanted: string, from: string) =>
    wanted.startsWith(BUILT_IN) || from.startsWith(BUILT_IN)
      ? lookUpBuiltIn(place, wanted)
      : lookUpFile(ground, readHere, wanted, from);
  const expanded = expandTemplate({ name: normal(template.file), text: read.text }, { lookUp, variables });
  if (expanded.how === 'invalid') return { ...expanded, message: `stage ${place.stage}: ${expanded.message}` };
  if (expanded.text.trim() !== '') return expanded;
  return { how: 'invalid', message: `stage ${place.stage}: its template ${template.file} is empty` };
}

const BUILT_IN = 'builtin:';

function lookUpBuiltIn({ answer }: TemplatePlace, wanted: string): LookedUp {
  const role = wanted.slice(wanted.startsWith(BUILT_IN) ? BUILT_IN.length : 0);
  if (Object.hasOwn(ROLES, role)) {
    const { template } = ROLES[role as keyof typeof ROLES];
    const text = answer === 'json' ? withoutSections(template) : template;
    return { how: 'found', template: { name: BUILT_IN + role, text } };
  }
  const known = Object.keys(ROLES);
  const near = nearest(role, known);
  const meant = near === null ? '.' : `; did you mean ${BUILT_IN}${near}?`;
  return { how: 'invalid', message: `names no built-in template${meant} There are ${known.join(', ')}` };
}

/** A built-in template ends with the list of its answer's sections. */
const withoutSections = (template: string): string => template.split(`\n${ANSWER_SECTIONS}`)[0]!;

/** Looks in the same folder, with or without the extension of the including file. */
function lookUpFile(
  { folder: ground }: { folder: string },
  readHere: (file: string) => ReturnType<typeof readWithin>,
  wanted: string,
  from: string,
): LookedUp {
  if (!/^[\w-][\w. -]*$/.test(wanted))
    return { how: 'invalid', message: 'must be the name of a file in the same folder, or builtin:ROLE' };
  const names = [...new Set([wanted, wanted + path.extname(from)])];
  const beside = path.dirname(from);
  const folder = path.join(ground, beside);
  for (const name of names) {
    const file = normal(path.join(beside, name));
    const read = readHere(file);
    if (read.how === 'read') return { how: 'found', template: { name: file, text: read.text } };
    if (read.how === 'refused') return { how: 'invalid', message: `cannot be included: ${file} ${read.why}` };
  }
  const near = nearest(wanted, namesIn(folder));
  const meant = near === null ? '' : `; did you mean {{> ${near}}}?`;
  return { how: 'invalid', message: `names no template: there is no ${names.join(' nor ')} in ${folder}${meant}` };
}

function namesIn(folder: string): string[] {
  const files = readdirSync(folder).sort();
  return [...files, ...files.map((file) => path.parse(file).name)];
}

const normal = (file: string): string => path.normalize(file);
