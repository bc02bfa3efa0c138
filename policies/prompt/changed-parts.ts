// Lists the parts of a prompt that differ from those of an earlier prompt, by comparing the two texts.

/**
 * Names each part by its heading, or by the name on the fence of quoted text. The order is that of the prompt; removed parts come
 * last.
 */
export function changedParts(before: string, now: string): string[] {
  const [old, fresh] = [partsOf(before), partsOf(now)];
  const names = new Set([...fresh.keys(), ...old.keys()]);
  return [...names].filter((name) => name !== READING && old.get(name)?.trim() !== fresh.get(name)?.trim());
}

/** This part exists whenever something is quoted. */
const READING = 'How to read this';

/** The fence word depends on the whole prompt, so it is removed from each part. */
function partsOf(text: string): Map<string, string> {
  const word = /^===== begin ([0-9a-f-]+): /m.exec(text)?.[1];
  const parts = new Map<string, string>();
  let heading = '';
  let quoted: string | null = null;
  for (const line of (word === undefined ? text : text.replaceAll(word, '')).split('\n')) {
    const label: string | undefined = quoted === null ? /^===== begin : (.*) =====$/.exec(line)?.[1] : undefined;
    if (label !== undefined) quoted = label.replace(/, \d+ bytes$/, '');
    else if (quoted !== null && line === '===== end  =====') quoted = null;
    else if (quoted === null && line.startsWith('# ')) heading = line.slice(2);
    else if (line !== '') parts.set(quoted ?? heading, `${parts.get(quoted ?? heading) ?? ''}${line}\n`);
  }
  return parts;
}
