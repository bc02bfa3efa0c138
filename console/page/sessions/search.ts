// Finds a text within the drawn conversation, and marks it there without a change of the page's elements.

/** More are neither marked nor counted. */
const MOST = 2_000;

/** The case of letters does not matter. A text that is shown in several pieces, as around a hidden sign, is found in each. */
export function rangesOf(within: HTMLElement, text: string): Range[] {
  const wanted = text.toLowerCase();
  const found: Range[] = [];
  const nodes = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(); node !== null && found.length < MOST; node = nodes.nextNode()) {
    const content = node.nodeValue!;
    const small = content.toLowerCase();
    // A few letters have another length in lower case.
    const searched = small.length === content.length ? small : content;
    for (
      let at = searched.indexOf(wanted);
      at >= 0 && found.length < MOST;
      at = searched.indexOf(wanted, at + wanted.length)
    ) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      found.push(range);
    }
  }
  return found;
}

/** An older browser scrolls to each match, but does not mark it. */
export function mark(ranges: readonly Range[], current: number): void {
  if (!('highlights' in CSS)) return;
  CSS.highlights.set('found', new Highlight(...ranges));
  CSS.highlights.set('found-now', new Highlight(...ranges.slice(current, current + 1)));
}

/** Opens what hides the match, and scrolls to it. */
export function reveal(range: Range): void {
  const element = range.startContainer.parentElement;
  for (let at = element; at !== null; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
  element?.scrollIntoView({ block: 'center' });
  // A long text has its own scroll bar.
  const box = element?.closest('.said');
  if (box) box.scrollTop += range.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 2;
}
