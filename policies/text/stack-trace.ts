// Shortens stack traces in output: keeps the first line of the project's code, or else the first, and the number of others.

/** JavaScript, Java and C#. Go and Rust print the place on a separate line below. */
const FRAME = /^\s+at\s+\S.*(?:\)|:\d+)$/;
const PYTHON_FRAME = /^\s*File "[^"]+", line \d+/;

/** Code that is not the project's. */
const FOREIGN = /node_modules|node:|<anonymous>|\(native\)|site-packages|lib\/python\d|\/bundle\/|\bjava\.|\bjdk\./;

export function cutStacks(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = endOfStack(lines, at);
    if (end === at) {
      kept.push(lines[at]!);
      at += 1;
      continue;
    }
    const frames = framesIn(lines.slice(at, end));
    // The innermost call comes first, but last in Python.
    const own = PYTHON_FRAME.test(lines[at]!) ? frames.toReversed() : frames;
    const shown = own.find(([place]) => !FOREIGN.test(place!)) ?? own[0]!;
    kept.push(...shown);
    if (frames.length > 1) kept.push(`${/^\s*/.exec(shown[0]!)![0]}(and ${frames.length - 1} more of the stack)`);
    at = end;
  }
  return kept;
}

function endOfStack(lines: readonly string[], from: number): number {
  let end = from;
  while (end < lines.length && (isFrame(lines[end]!) || isSource(lines, end, from))) end += 1;
  return end;
}

const isFrame = (line: string): boolean => FRAME.test(line) || PYTHON_FRAME.test(line);

/** Python shows the source line below each place. */
const isSource = (lines: readonly string[], at: number, from: number): boolean =>
  at > from && PYTHON_FRAME.test(lines[at - 1]!) && /^\s{4}/.test(lines[at]!);

const framesIn = (stack: readonly string[]): string[][] =>
  stack.reduce<string[][]>((frames, line) => {
    if (isFrame(line)) frames.push([line]);
    else frames.at(-1)!.push(line);
    return frames;
  }, []);
