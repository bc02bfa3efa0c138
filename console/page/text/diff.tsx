// Shows a diff file by file, with line numbers and folding; the sign of each line carries the same meaning as its colour.

import { counted } from '../parts/figures.ts';
import { Mark } from '../parts/mark.tsx';
import { Cell, VirtualTable } from '../parts/table.tsx';
import { useMemo, useSignal } from '../reactive.ts';
import { tellDone, tellProblem } from '../shell/notes.tsx';
import { type DiffFile, filesOfDiff, rowsOf } from './diff-files.ts';
import { useColours } from './line-colours.ts';
import { signs, Words } from './words.tsx';

interface DiffProps {
  /** In the unified format. */
  of: string;
  label: string;
  /** The name of the file in which the diff can be saved. */
  name: string;
  /** The paths that the gate found out of scope. */
  outside?: ReadonlySet<string>;
}

const LINE_PX = 21;
/** A longer line is cut, since the browser would lay out all of it. */
const MOST_CHARS = 2_000;
const NONE: ReadonlySet<string> = new Set();

export function Diff({ of, label, name, outside = NONE }: DiffProps) {
  const files = useMemo(() => filesOfDiff(of), [of]);
  const colours = useColours(files);
  const folded = useSignal<ReadonlySet<number>>(new Set());
  const opened = useSignal<ReadonlySet<string>>(NONE);
  const shown = useSignal<{ index: number } | null>(null);
  const rows = rowsOf(files, folded.value, opened.value);
  const isFolded = folded.value.size === files.length;
  const fold = (nth: number) => {
    folded.value = folded.value.has(nth) ? without(folded.value, nth) : new Set([...folded.value, nth]);
  };
  const go = (nth: number) => {
    folded.value = without(folded.value, nth);
    const index = rowsOf(files, folded.value, opened.value).findIndex((row) => row.row === 'file' && row.nth === nth);
    shown.value = { index };
  };
  return (
    <div class="diff-box">
      <div class="bar">
        <span>
          {counted(files.length, 'file')}, <Counts of={files} />
        </span>
        <div class="buttons">
          <button
            type="button"
            class="button small"
            aria-pressed={isFolded}
            onClick={() => (folded.value = isFolded ? new Set() : new Set(files.keys()))}
          >
            Fold all files
          </button>
          <button type="button" class="button small" onClick={() => void copy(of)}>
            Copy the diff
          </button>
          <button type="button" class="button small" onClick={() => save(of, name)}>
            Download as patch
          </button>
        </div>
      </div>
      <div class={files.length > 1 ? 'diff-parts' : ''}>
        {files.length > 1 && (
          <nav class="diff-files" aria-label={`Files: ${label}`}>
            <ul>
              {files.map((file, nth) => (
                <li key={nth}>
                  <button
                    type="button"
                    class={outside.has(file.path) ? 'diff-go outside' : 'diff-go'}
                    onClick={() => go(nth)}
                  >
                    <Words of={file.path} /> <Counts of={[file]} />{' '}
                    {outside.has(file.path) && <span>out of scope</span>}
                  </button>
                </li>
              ))}
            </ul>
          </nav>
        )}
        <div class="panel">
          <VirtualTable
            label={label}
            keys={rows.map(({ key }) => key)}
            rowHeight={LINE_PX}
            columns="diff-row"
            show={shown.value}
            head={
              <>
                {/* biome-ignore lint/a11y/useSemanticElements: see the table */}
                {/* biome-ignore lint/a11y/useFocusableInteractive: the heading is only read */}
                <span role="columnheader">old</span>
                {/* biome-ignore lint/a11y/useSemanticElements: see the table */}
                {/* biome-ignore lint/a11y/useFocusableInteractive: the heading is only read */}
                <span role="columnheader">new</span>
                {/* biome-ignore lint/a11y/useSemanticElements: see the table */}
                {/* biome-ignore lint/a11y/useFocusableInteractive: the heading is only read */}
                <span role="columnheader">line</span>
              </>
            }
            row={(_, index) => (
              <Row
                of={rows[index]!}
                colours={colours}
                outside={outside}
                folded={folded.value}
                fold={fold}
                open={(key) => (opened.value = new Set([...opened.value, key]))}
              />
            )}
          />
        </div>
      </div>
    </div>
  );
}

interface RowProps {
  of: ReturnType<typeof rowsOf>[number];
  colours: ReturnType<typeof useColours>;
  outside: ReadonlySet<string>;
  folded: ReadonlySet<number>;
  fold: (nth: number) => void;
  open: (key: string) => void;
}

function Row({ of, colours, outside, folded, fold, open }: RowProps) {
  switch (of.row) {
    case 'file':
      return (
        <Cell as="diff-file">
          <FileHead
            of={of.file}
            isOutside={outside.has(of.file.path)}
            isOpen={!folded.has(of.nth)}
            fold={() => fold(of.nth)}
          />
        </Cell>
      );
    case 'gap':
      return (
        <Cell as="diff-gap">
          {of.opens === null ? (
            <span>
              {counted(of.count, 'unchanged line')} <Words of={of.text} />
            </span>
          ) : (
            <button type="button" onClick={() => open(of.opens!)}>
              Show {counted(of.count, 'unchanged line')}
            </button>
          )}
        </Cell>
      );
    case 'line': {
      const { kind, old, now, text } = of.line;
      const cut =
        text.length > MOST_CHARS
          ? `${text.slice(0, MOST_CHARS)}… (${counted(text.length - MOST_CHARS, 'character')} more)`
          : text;
      return (
        <>
          <Cell as={`diff-number ${kind}`}>{old}</Cell>
          <Cell as={`diff-number ${kind}`}>{now}</Cell>
          <Cell as={`diff-line ${kind}`}>
            {kind === 'remark' ? '' : SIGNS[kind]}
            {colours.get(of.line)?.map((piece, nth) => (
              <span key={nth} class={piece.tone === null ? undefined : `code-${piece.tone}`}>
                {signs(piece.text)}
              </span>
            )) ?? signs(cut.replace(/\r$/, ''))}
          </Cell>
        </>
      );
    }
  }
}

const SIGNS = { added: '+', removed: '-', same: ' ', place: ' ' } as const;

const HOW = {
  added: 'new',
  deleted: 'deleted',
  modified: '',
  mode: 'mode',
  type: 'another kind',
  renamed: 'renamed',
  commit: 'commit',
} as const satisfies Record<DiffFile['how'], string>;

interface FileHeadProps {
  of: DiffFile;
  isOutside: boolean;
  isOpen: boolean;
  fold: () => void;
}

function FileHead({ of, isOutside, isOpen, fold }: FileHeadProps) {
  const words = [HOW[of.how], ...of.remarks].filter((word) => word !== '');
  return (
    <>
      <button type="button" class="diff-fold" aria-expanded={isOpen} onClick={fold}>
        <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>{' '}
        {of.from !== null && (
          <>
            <Words of={of.from} /> →{' '}
          </>
        )}
        <Words of={of.path} />
      </button>
      {words.length > 0 && <span class="dim">{words.join(', ')}</span>}
      <Counts of={[of]} />
      {isOutside && <Mark tone="bad" word="out of scope" icon="failed" />}
    </>
  );
}

function Counts({ of }: { of: readonly DiffFile[] }) {
  const sum = (side: 'added' | 'removed') => of.reduce((all, file) => all + file[side], 0).toLocaleString('en');
  return (
    <span class="diff-counts">
      <span class="plus">+{sum('added')}</span> <span class="minus">−{sum('removed')}</span>
    </span>
  );
}

const without = (all: ReadonlySet<number>, one: number): ReadonlySet<number> =>
  new Set([...all].filter((each) => each !== one));

const copy = (text: string): Promise<void> =>
  navigator.clipboard.writeText(text).then(
    () => tellDone('The diff was copied.'),
    () => tellProblem({ what: 'The browser did not let the diff be copied.', wayOut: 'Download it as a patch.' }),
  );

function save(text: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/x-patch' }));
  const link = document.createElement('a');
  [link.href, link.download] = [address, name];
  link.click();
  URL.revokeObjectURL(address);
}
