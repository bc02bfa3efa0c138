// Which environment variables hold secrets, and the forms in which their values turn up in text.

export interface Secret {
  /** What stands in the placeholder: the variable's name. */
  kind: string;
  value: string;
}

/** A shorter value is too likely to be a word of ordinary text. */
const MIN_LENGTH = 6;
/** A line of a value with several lines, such as a private key, counts alone from this length on. */
const MIN_LINE_LENGTH = 12;

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL/;
const HARMLESS_NAME = /KEYBOARD|KEYMAP|KEYWORD|HOTKEY|MONKEY|TOKENIZER|KEY_?TIMEOUT|PUBLIC_?KEY|KEYRING_BACKEND/;
/** A figure or a folder under such a name is a setting: `MAX_OUTPUT_TOKENS`, `SSH_KEY_PATH`. */
const SETTING_NAME = /(?:^|_)(?:MAX|MIN|LIMIT|COUNT|SIZE|LENGTH|TTL|TIMEOUT|INTERVAL|EXPIR\w*|DAYS|TOKENS)(?:_|$)/;
const PLACE_NAME = /(?:PATH|FILE|DIR|DIRECTORY|FOLDER|HOME|SOCK|STORE_DIR|CREDENTIALS)$/;
const ORDINARY_VALUE = /^(?:true|false|enabled?|disabled?|default|required|optional|always|never|none)$/i;
const PLACE_VALUE = /^(?:~|[A-Za-z]:)?[\\/][\w .@+/\\-]*$/;

/** Longest first, so that a secret within another one does not leave the rest of it behind. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): Secret[] {
  const found = new Map<string, string>();
  for (const name of Object.keys(env).sort()) {
    const value = env[name]?.trim() ?? '';
    if (!isSecret(name.toUpperCase(), value)) continue;
    for (const form of formsOf(value)) if (!found.has(form)) found.set(form, name.replace(/[^\w.-]/g, '_'));
  }
  return [...found].map(([value, kind]) => ({ kind, value })).sort((a, b) => b.value.length - a.value.length);
}

const isSecret = (name: string, value: string): boolean => value.length >= MIN_LENGTH && looksSecret(name, value);

/** Does a variable hold a secret, by its name in capitals and what stands in it? */
export function looksSecret(name: string, value: string): boolean {
  if (value === '' || !SECRET_NAME.test(name) || HARMLESS_NAME.test(name)) return false;
  // Text that names a placeholder must not be found in one: that would redact what is redacted.
  if (ORDINARY_VALUE.test(value) || value.includes('REDACTED')) return false;
  if (SETTING_NAME.test(name) && /^[\d.]+$/.test(value)) return false;
  return !(PLACE_NAME.test(name) && PLACE_VALUE.test(value));
}

function formsOf(value: string): string[] {
  const whole = [value, ...value.split(/\r?\n/).filter((line) => line !== value && line.length >= MIN_LINE_LENGTH)];
  return whole.flatMap((form) => {
    const escaped = JSON.stringify(form).slice(1, -1);
    return [form, escaped, JSON.stringify(escaped).slice(1, -1), encoded(form)];
  });
}

/** A lone surrogate cannot be encoded. */
function encoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value;
  }
}
