// The editor of a manifest (the only module that uses CodeMirror): a bundle of its own, which the page loads when it is first needed.

import { autocompletion, type CompletionContext, completionKeymap } from '@codemirror/autocomplete';
import { history, historyKeymap, insertNewlineKeepIndent } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting, syntaxTree } from '@codemirror/language';
import { Compartment, EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, hoverTooltip, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { blockPath, fieldAt, type SchemaPart, type Suggestion, suggestions } from './schema-help.ts';

export interface EditorSettings {
  /** The editor is within a shadow tree of it, where the policy of the page allows its styles. */
  host: HTMLElement;
  text: string;
  schema: SchemaPart;
  /** Further values of fields, by the last name of the field. */
  values: Readonly<Record<string, readonly string[]>>;
  onChange(text: string): void;
  /** The field that the cursor is in, with what the schema says about it. */
  onField(field: FieldHelp | null): void;
}

export interface FieldHelp {
  name: string;
  about: string;
}

/** `line` null: it has no place in the text. */
interface Mistake {
  line: number | null;
  message: string;
}

export interface ManifestEditor {
  text(): string;
  replace(text: string): void;
  lock(isLocked: boolean): void;
  /** Marks the lines with mistakes, and shows these there. */
  mark(mistakes: readonly Mistake[]): void;
  goTo(line: number): void;
  close(): void;
}

const THEME = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--sunk)', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', maxHeight: '65dvh', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--sunk)', color: 'var(--dim)', borderRight: '1px solid var(--line)' },
  '.cm-tooltip': { backgroundColor: 'var(--sheet)', color: 'var(--ink)', border: '1px solid var(--line-strong)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-wash)',
    color: 'var(--ink)',
  },
  '.cm-completionInfo, .field-help': { maxWidth: '30rem', padding: '0.3rem 0.6rem', whiteSpace: 'pre-wrap' },
  '@media (width < 40rem)': { '.cm-completionInfo': { display: 'none' } },
  '.mistaken': { backgroundColor: 'var(--bad-wash)', boxShadow: 'inset 3px 0 var(--bad)' },
});

const COLOURS = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--accent)' },
  { tag: tags.comment, color: 'var(--dim)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.keyword], color: 'var(--busy)' },
]);

const FOUND = StateEffect.define<readonly Mistake[]>();
const MISTAKEN = Decoration.line({ class: 'mistaken' });

const MISTAKES = StateField.define<{ of: readonly Mistake[]; marks: ReturnType<typeof Decoration.set> }>({
  create: () => ({ of: [], marks: Decoration.none }),
  update(before, { effects, changes, state }) {
    const found = effects.find((effect) => effect.is(FOUND))?.value as readonly Mistake[] | undefined;
    if (found === undefined) return { of: before.of, marks: before.marks.map(changes) };
    const lines = [...new Set(found.flatMap(({ line }) => line ?? []))];
    return {
      of: found,
      marks: Decoration.set(
        lines.map((line) => MISTAKEN.range(lineOf(state, line).from)),
        true,
      ),
    };
  },
  provide: (field) => EditorView.decorations.from(field, ({ marks }) => marks),
});

const ENTER = { key: 'Enter', run: insertNewlineKeepIndent };

function openEditor({ host, text, schema, values, onChange, onField }: EditorSettings): ManifestEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const lock = new Compartment();
  const complete = (context: CompletionContext) => {
    const { state, pos, explicit } = context;
    const place = placeAt(state, pos);
    const found = suggestions(schema, values, place);
    if (found.length === 0 || (!explicit && place.typed === '')) return null;
    return { from: pos - place.typed.length, options: found.map(optionOf), validFor: /^[\w$-]*$/ };
  };
  const help = hoverTooltip((view, pos) => {
    const place = keyAt(view.state, pos);
    const about = place === null ? undefined : aboutOf(place.path);
    const line = view.state.doc.lineAt(pos);
    const wrong = view.state.field(MISTAKES).of.filter((each) => each.line === line.number);
    const words = [...wrong.map(({ message }) => message), ...(about ? [about] : [])].join('\n');
    if (words === '') return null;
    return { pos: place?.from ?? line.from, above: true, create: () => ({ dom: helpOf(words) }) };
  });
  const aboutOf = (path: string[]) => fieldAt(schema, path)[0]?.description;
  const helpAt = (state: EditorState): FieldHelp | null => {
    const path = fieldAround(state, state.selection.main.head);
    const about = path === null ? undefined : aboutOf(path);
    return about === undefined ? null : { name: path!.filter((name) => name !== '[]').join('.'), about };
  };
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        // A file of Windows stays one.
        EditorState.lineSeparator.of(text.includes('\r\n') ? '\r\n' : '\n'),
        ...[lineNumbers(), history(), yaml(), EditorView.lineWrapping],
        ...[THEME, syntaxHighlighting(COLOURS), help, MISTAKES],
        // Enter takes the chosen word as soon as it is seen.
        autocompletion({ override: [complete], icons: false, interactionDelay: 0 }),
        // The browser moves the cursor and deletes, and Tab leaves the editor.
        keymap.of([...completionKeymap, ...historyKeymap, ENTER]),
        EditorView.contentAttributes.of({ 'aria-label': 'Manifest' }),
        lock.of([]),
        EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
          if (docChanged) onChange(state.sliceDoc());
          if (docChanged || selectionSet) onField(helpAt(state));
        }),
      ],
    }),
  });
  return {
    text: () => view.state.sliceDoc(),
    replace: (insert) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } }),
    lock: (isLocked) => view.dispatch({ effects: lock.reconfigure(EditorState.readOnly.of(isLocked)) }),
    mark: (mistakes) => view.dispatch({ effects: FOUND.of(mistakes) }),
    goTo(line) {
      const { from } = lineOf(view.state, line);
      view.dispatch({ selection: { anchor: from }, scrollIntoView: true });
      view.focus();
    },
    close: () => view.destroy(),
  };
}

const optionOf = ({ label, about, insert }: Suggestion) => ({
  label,
  apply: insert,
  ...(about === null ? {} : { info: () => helpOf(about) }),
});

/** Text, never markup. */
function helpOf(about: string): HTMLElement {
  const dom = document.createElement('div');
  dom.className = 'field-help';
  dom.textContent = about;
  return dom;
}

const lineOf = ({ doc }: EditorState, line: number) => doc.line(Math.max(1, Math.min(line, doc.lines)));

/** In flow style (and JSON) by the tree of the text, around that by the lines. */
function placeAt(state: EditorState, pos: number) {
  const line = state.doc.lineAt(pos);
  const before = line.text.slice(0, pos - line.from);
  const typed = /[\w$-]*$/.exec(before)![0];
  const flow = flowPath(state, pos);
  if (flow !== null) {
    const key = /["']?([\w$-]+)["']?\s*:\s*["']?[\w$-]*$/.exec(before)?.[1] ?? null;
    return { path: flow, key, typed, style: 'flow' as const };
  }
  const key = /^ *(?:- +)*([\w$-]+): +["']?[\w$-]*$/.exec(before)?.[1] ?? null;
  const column = /^ *(?:- +)*/.exec(before)![0].length;
  return { path: blockPath(linesTo(state, line.number), column), key, typed, style: 'block' as const };
}

/** The lines up to this one. */
const linesTo = (state: EditorState, last: number): string[] =>
  state.doc.sliceString(0, state.doc.line(last).to).split('\n');

/** The names around a place within brackets; null for a place outside of them. */
function flowPath(state: EditorState, pos: number): string[] | null {
  const path: string[] = [];
  let outermost: number | null = null;
  for (let node = syntaxTree(state).resolveInner(pos, -1).node; ; ) {
    const { name, from, to, parent } = node;
    const isFlow = name === 'FlowMapping' || name === 'FlowSequence';
    if (isFlow && from < pos && (to > pos || node.lastChild?.type.isError)) outermost = from;
    const key = name === 'Pair' ? node.getChild('Key') : null;
    if (key !== null && key.to < pos && node.parent?.name === 'FlowMapping') path.unshift(nameOf(state, key));
    if (name === 'Item' && node.parent?.name === 'FlowSequence') path.unshift('[]');
    if (parent === null) break;
    node = parent;
  }
  if (outermost === null) return null;
  const line = state.doc.lineAt(outermost);
  const [, space = '', key] = /^( *(?:- +)*)["']?([\w$-]*)/.exec(line.text)!;
  const around = blockPath(linesTo(state, line.number), space.length);
  return [...around, ...(key ? [key] : []), ...path];
}

/** The name of a field at a place, with the names around it. */
function keyAt(state: EditorState, pos: number): { path: string[]; from: number; to: number } | null {
  for (let node = syntaxTree(state).resolveInner(pos, 1).node; ; ) {
    if (node.name === 'Key') {
      const { path } = placeAt(state, node.from);
      return { path: [...path, nameOf(state, node)], from: node.from, to: node.to };
    }
    if (node.parent === null) return null;
    node = node.parent;
  }
}

/** The names of the innermost field that has the place in its name or its value. */
function fieldAround(state: EditorState, pos: number): string[] | null {
  for (let node = syntaxTree(state).resolveInner(pos, -1).node; ; ) {
    const key = node.name === 'Pair' ? node.getChild('Key') : null;
    if (key !== null) return keyAt(state, key.from)?.path ?? null;
    if (node.parent === null) return null;
    node = node.parent;
  }
}

const nameOf = (state: EditorState, { from, to }: { from: number; to: number }): string =>
  state.sliceDoc(from, to).replace(/^["']|["']$/g, '');

/** The page has no other way to the module: its policy allows inline scripts, by their hashes. */
Object.assign(globalThis, { openManifestEditor: openEditor });
