// Parses a suggested command that a button of the page may run. All other commands can only be copied.

/**
 * The command without the name of the program, as words; `distill resume` is one verb. `continues`: the task that it continues in a
 * new run, or of `supervise` a session of one.
 */
interface PageCommand {
  words: readonly [verb: string, name: string, ...flags: string[]];
  continues: string | null;
}

/** A text that a command takes as a name, and never as a flag. */
export const NAME = /^[A-Za-z0-9_.][A-Za-z0-9._-]{0,127}$/;
const COUNT = /^\d{1,6}$/;

/** The flags that a page may give each command; null: without a value. None of them names a file or another command. */
const FLAGS: Record<string, Record<string, RegExp | null>> = {
  run: {
    redo: NAME,
    keep: NAME,
    recheck: null,
    'redo-all': null,
    'keep-all': null,
    'accept-changes': null,
    'retry-dirty': null,
    'ignore-hold': null,
    restore: null,
    'wait-for-reset': /^\d{1,4}[smhd]$/,
    'when-open': /^(?:wait|fresh)$/,
    'trust-workspace': null,
  },
  supervise: { resume: NAME, 'trust-workspace': null },
  'distill resume': {
    accept: null,
    'max-calls': COUNT,
    'max-tokens': /^\d{1,12}$/,
    'max-usd': /^\d{1,6}(?:\.\d{1,2})?$/,
  },
  budget: { set: COUNT },
  undo: { redo: COUNT },
  recover: { choose: /^(?:rollback|clear|export|ignore)$/ },
};

/** @returns null if a button may not run it. */
export function pageCommand(line: string): PageCommand | null {
  const [, verb = '', after = ''] = /^(?:npx )?tollgate (distill resume|\S+) (.*)$/s.exec(line) ?? [];
  const flags = Object.hasOwn(FLAGS, verb) ? FLAGS[verb]! : null;
  if (flags === null) return null;
  const rest = after.split(' ');
  const names: string[] = [];
  const given: string[] = [];
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at]!;
    if (!word.startsWith('-')) {
      names.push(word);
      continue;
    }
    const [, name, within] = /^--([a-z-]+)(?:=(.+))?$/.exec(word) ?? [];
    if (name === undefined || !Object.hasOwn(flags, name)) return null;
    const form = flags[name]!;
    const value = form === null ? within : (within ?? rest[++at]);
    if (form === null ? value !== undefined : value === undefined || !form.test(value)) return null;
    given.push(value === undefined ? `--${name}` : `--${name}=${value}`);
  }
  // A supervised task continues by its name, or by the id of a session that its run saved.
  const saved =
    verb === 'supervise' ? given.find((flag) => flag.startsWith('--resume='))?.slice('--resume='.length) : null;
  if (saved) names.push(saved);
  const [name] = names;
  if (name === undefined || names.length > 1 || !NAME.test(name)) return null;
  // A budget or a session is only shown without a flag.
  if ((verb === 'budget' || verb === 'recover') && given.length === 0) return null;
  // The run decides by its own rules whether it trusts the folder.
  const flagWords = given.filter((flag) => flag !== '--trust-workspace' && flag !== `--resume=${saved}`);
  return {
    words: [verb, name, ...flagWords],
    continues: verb === 'run' || verb === 'supervise' ? name : null,
  };
}
