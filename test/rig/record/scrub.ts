// Removes from a recording what differs between machines and runs, and shortens long texts.

export interface Places {
  /** The folder of the run's home, project and temporary files. */
  root: string;
  /** The folder in which the CLIs are installed. */
  clis: string;
  /** The port of the model API. */
  port: number;
}

/** Lines of JSON stay lines of JSON. The same text always becomes the same text. */
export function scrub(text: string, places: Places): string {
  const named = PLACES(places).reduce((rest, [from, to]) => rest.replaceAll(from, to), text);
  const steady = VOLATILE.reduce((rest, [pattern, to]) => rest.replace(pattern, to), numberIds(named));
  return steady
    .split('\n')
    .filter((line) => !/^\[STARTUP\] /.test(line)) // printed at random
    .map(shorten)
    .join('\n');
}

const PLACES = ({ root, clis, port }: Places): [from: RegExp | string, to: string][] => [
  [`${root}/home`, '/home/user'],
  [`${root}/project`, '/home/user/project'],
  [`${root}/tmp`, '/tmp'],
  [root, '/home/user/run'],
  [/[^\s"'(]*\/copilot-cache(?=\/)/g, '/home/user/.cache/copilot'],
  [clis, '/usr/lib/node_modules'],
  // The scenario is in the URL, and a rule must not be able to read it there.
  [new RegExp(`(127\\.0\\.0\\.1|localhost):${port}(/r/[^/\\s"']*)?(/s/[^/\\s"',)]*)?`, 'g'), '$1:8080'],
  [new RegExp(`\\b${port}\\b`, 'g'), '8080'],
  [process.execPath, '/usr/bin/node'],
];

const VOLATILE: [pattern: RegExp, to: string][] = [
  [/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, '2026-01-01T00:00:00.000Z'],
  [/\b20\d\d-\d\d-\d\dT\d\d-\d\d-\d\d-\d+Z/g, '2026-01-01T00-00-00-000Z'],
  [/("(?:\w*[dD]uration\w*|\w*Ms|\w*_ms|requestBody\w*)":\s*)\d+(\.\d+)?/g, '$11'],
  [/_\d{13}_(\d)/g, '_1_$1'],
  [/\(node:\d+\)/g, '(node:1)'],
  [/(Process Group PGID|PID|pid): ?\d+/g, '$1: 1'],
  [/^(Duration +)\S.*$/gm, '$11s'],
  [/(total retry wait time: )[\d.]+( seconds)/g, '$15.00$2'],
  [/(Retrying (?:after|in) )[\d.]+( ?m?s\b)/g, '$15000$2'],
  [/\b(chatcmpl-|resp_|msg_|call_|fc_|toolu_)?test\d+\b/g, '$1test1'],
];

/** Ids get numbers in the order of their first appearance, so that equal ids stay equal. */
function numberIds(text: string): string {
  const seen = new Map<string, string>();
  return text.replace(
    /\b[0-9a-f]{8}-[0-9a-f]{4}-([1-8])[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/g,
    (id, version) => {
      const known = seen.get(id) ?? `00000000-0000-${version}000-8000-${String(seen.size + 1).padStart(12, '0')}`;
      seen.set(id, known);
      return known;
    },
  );
}

const LONGEST = 1_500;

/** In a line of JSON each long text is shortened separately, so that the line stays valid. */
function shorten(line: string): string {
  if (line.length <= LONGEST) return line;
  if (!line.startsWith('{')) return cut(line);
  try {
    return JSON.stringify(JSON.parse(line), (key, value) => {
      if (key === 'skills') return [];
      return typeof value === 'string' && value.length > LONGEST ? cut(value) : value;
    });
  } catch {
    return cut(line);
  }
}

const cut = (text: string): string =>
  text.length <= LONGEST ? text : `${text.slice(0, 300)} [… ${text.length} characters]`;
