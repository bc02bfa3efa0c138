// Prints docs/flags.md, or with --write writes it: each flag of each command, from the tables that also print the help (`npm run flags`).

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

// Each command listens for signals.
process.setMaxListeners(0);
const { SUBCOMMANDS } = createRequire(import.meta.url)('../dist/subcommands.cjs');
const PAGE = 'docs/flags.md';
const SHARED = ['json', 'quiet', 'help', 'version'];
const { bin } = JSON.parse(readFileSync('package.json', 'utf8'));
// `distill` has words with flags of their own.
const commands = Object.keys(JSON.parse(readFileSync('dist/help/completion.json', 'utf8')));
commands.splice(commands.indexOf('tollgate distill') + 1, 0, ...(await wordsOf('tollgate distill')));
const everySpec = await Promise.all(commands.map(specOf));
const specs = [...new Map(everySpec.map((spec) => [spec.name, spec])).values()].filter(
  // `wait` and `preflight` are commands of their own, too. The usage of `distill` holds its words that have no flag.
  (spec) =>
    spec.name !== 'tollgate wait' &&
    spec.name !== 'tollgate preflight' &&
    !(spec.name.startsWith('tollgate distill ') && Object.keys(spec.flags).every((flag) => !isOwn(flag))),
);
const wrappers = specs.filter(({ flags }) => 'prompt-file' in flags && 'out' in flags && 'session-id-out' in flags);
const common = Object.keys(wrappers[0].flags).filter((flag) =>
  wrappers.every(({ flags }) => JSON.stringify(flags[flag]) === JSON.stringify(wrappers[0].flags[flag])),
);
const named = wrappers.map(({ name }) => `\`${name}\``);

const page = [
  '# All flags',
  '`COMMAND --help --all` prints the same with examples, `COMMAND --help --json` for programs. `npm run flags` writes this page.',
  '## Every command',
  tableOf(specs[0].flags, SHARED),
  '## The wrappers',
  `Flags of ${named.slice(0, -1).join(', ')} and ${named.at(-1)}:`,
  tableOf(wrappers[0].flags, common.filter(isOwn)),
  ...specs.flatMap((spec) => {
    const flags = ownFlags(spec);
    const firstOf = (flag) => specs.find((other) => hasSame(other, spec, flag));
    const own = flags.filter((flag) => firstOf(flag) === spec);
    const earlier = [...new Set(flags.map(firstOf))].filter((other) => other !== spec);
    const references = earlier.map((other) => {
      const names = flags.filter((flag) => firstOf(flag) === other).map((flag) => `\`--${flag}\``);
      return `As in \`${other.name}\`: ${names.join(', ')}.`;
    });
    return [
      `## ${spec.name}`,
      `\`${`${spec.name} ${spec.usage.replaceAll('\n', ' ')}`.trim()}\``,
      ...(own.length + spec.families.length > 0 ? [tableOf(spec.flags, own, spec.families)] : []),
      ...(references.length > 0 ? [references.join(' ')] : []),
    ];
  }),
];
const text = `${page.join('\n\n')}\n`;
if (process.argv.includes('--write')) writeFileSync(PAGE, text);
else process.stdout.write(text);

/** A command of `tollgate` needs no process. */
async function specOf(command) {
  const [name, ...words] = command.split(' ');
  const flags = ['--help', '--json'];
  const out =
    name === 'tollgate'
      ? (await (await SUBCOMMANDS[words[0]].load()).run([...words.slice(1), ...flags])).out
      : execFileSync(process.execPath, [bin[name], ...words, ...flags], { encoding: 'utf8' });
  return { families: [], ...JSON.parse(out) };
}

async function wordsOf(command) {
  const words = (await specOf(command)).usage.split('|').slice(1);
  return words.map((word) => `${command} ${word.trim().split(' ')[0]}`);
}

function isOwn(flag) {
  return !SHARED.includes(flag);
}

function ownFlags(spec) {
  return Object.keys(spec.flags).filter((flag) => isOwn(flag) && !(wrappers.includes(spec) && common.includes(flag)));
}

function hasSame(other, spec, flag) {
  return ownFlags(other).includes(flag) && JSON.stringify(other.flags[flag]) === JSON.stringify(spec.flags[flag]);
}

function tableOf(flags, names, families = []) {
  const rows = names.map((name) => {
    const { short, about, required, default: preset } = flags[name];
    const shown = `\`--${name}\`${short === undefined ? '' : `, \`-${short}\``}`;
    const notes = [required ? 'required' : '', preset === undefined ? '' : `default: ${preset}`].filter(Boolean);
    return [shown, valuesOf(flags[name]), notes.length === 0 ? about : `${about} (${notes.join('; ')})`];
  });
  for (const { shown, about } of families) rows.push([`\`${shown}\``, 'text', about]);
  const lines = rows.map((row) => `| ${row.map(escaped).join(' | ')} |`);
  return ['| flag | value | what it does |', '|---|---|---|', ...lines].join('\n');
}

function valuesOf({ takes, choices }) {
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(', ');
  return { nothing: '–', text: 'text', texts: 'text', number: 'number', number_if_any: 'number, optional' }[takes];
}

function escaped(cell) {
  return cell.replaceAll('\n', ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
