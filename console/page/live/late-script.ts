// Loads a script of the console that the page needs only in some views; it offers one function.

import type { Trouble } from './requests.ts';

type Scripts = { createScript(text: string): string };

/** The policy of the page allows only this one, and the browser runs only a text whose hash the server named. */
const scripts = (
  globalThis as { trustedTypes?: { createPolicy(name: string, rules: Scripts): Scripts } }
).trustedTypes?.createPolicy('late-script', { createScript: (text) => text });

/** @param name of the global function that the script defines. */
export async function loadLate<Offered>(file: 'editor.js' | 'colours.js', name: string): Promise<Offered | Trouble> {
  const loaded = globalThis as Record<string, unknown>;
  if (loaded[name] === undefined) {
    const response = await fetch(`/${file}`, { credentials: 'same-origin', cache: 'no-store' }).catch(() => null);
    const text = response?.ok ? await response.text().catch(() => null) : null;
    if (text === null)
      return { what: `The script ${file} could not be loaded.`, wayOut: 'Reload the page.', lasts: 'a while' };
    const script = document.createElement('script');
    script.text = scripts?.createScript(text) ?? text;
    document.head.append(script);
    script.remove();
  }
  return loaded[name] as Offered;
}
