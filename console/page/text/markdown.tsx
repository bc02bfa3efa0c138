// Renders Markdown of a model or summary as page elements: HTML shows as text, and links show their address but do not work.

import type { ComponentChildren } from '../reactive.ts';
import { type Token, type Tokens, tokensOf } from './tokens.ts';
import { Quote, signs } from './words.tsx';

/** Deeper elements are shown as they were written. */
const MOST_DEPTH = 24;

interface MarkdownProps {
  of: string;
  label: string;
  /** `kept`: a line ends where its writer ended it, as in the output of a program. */
  lines?: 'flow' | 'kept';
  /** The address within the page of a name between backticks; undefined for any other code. */
  opens?: (name: string) => string | undefined;
}

export function Markdown({ of, label, lines = 'flow', opens }: MarkdownProps) {
  const tokens = tokensOf(of, lines);
  if (opens && tokens) noteNames(tokens, opens, 0);
  return tokens === null ? <Quote of={of} label={label} /> : <div class="prose">{blocks(tokens, 0)}</div>;
}

/** A code whose name the page opens. A token of a text has no such property. */
type Opening = Tokens.Codespan & { opens?: string | undefined };

function noteNames(tokens: readonly Token[], opens: (name: string) => string | undefined, depth: number): void {
  if (depth > MOST_DEPTH) return;
  for (const token of tokens) {
    if (token.type === 'codespan') (token as Opening).opens = opens((token as Opening).text);
    const { tokens: within = [], items = [] } = token as Tokens.Generic;
    noteNames([...within, ...items], opens, depth + 1);
  }
}

const blocks = (tokens: readonly Token[], depth: number): ComponentChildren =>
  depth > MOST_DEPTH ? signs(tokens.map(({ raw }) => raw).join('')) : tokens.map((token) => block(token, depth));

function block(token: Token, depth: number): ComponentChildren {
  switch (token.type) {
    case 'heading':
      return heading(token as Tokens.Heading, depth);
    case 'paragraph':
      return <p dir="auto">{inline((token as Tokens.Paragraph).tokens, depth + 1)}</p>;
    case 'text':
      return inline((token as Tokens.Text).tokens ?? [token], depth + 1);
    case 'code':
      return <pre class="said">{signs((token as Tokens.Code).text)}</pre>;
    case 'blockquote':
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens, depth + 1)}</blockquote>;
    case 'list':
      return list(token as Tokens.List, depth);
    case 'table':
      return table(token as Tokens.Table, depth);
    case 'hr':
      return <hr />;
    case 'space':
    case 'def':
      return null;
    default:
      return <p dir="auto">{signs(token.raw)}</p>;
  }
}

/** Ranks below the headings of the page. */
function heading({ depth: rank, tokens }: Tokens.Heading, depth: number) {
  const within = inline(tokens, depth + 1);
  return rank <= 1 ? <h3 class="first-rank">{within}</h3> : rank === 2 ? <h3>{within}</h3> : <h4>{within}</h4>;
}

function list({ ordered, start, items }: Tokens.List, depth: number) {
  const rows = items.map(({ tokens, task, checked }, at) => (
    <li key={at}>
      {task && (checked ? '☑ ' : '☐ ')}
      {blocks(
        tokens.filter(({ type }) => type !== 'checkbox'),
        depth + 1,
      )}
    </li>
  ));
  return ordered ? <ol start={typeof start === 'number' ? start : 1}>{rows}</ol> : <ul>{rows}</ul>;
}

function table({ header, rows }: Tokens.Table, depth: number) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls, and this box scrolls a table
    <div role="group" class="table-box whole" tabIndex={0} aria-label="Table">
      <table>
        <thead>
          <tr>
            {header.map(({ tokens }) => (
              <th scope="col">{inline(tokens, depth + 1)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr>
              {cells.map(({ tokens }) => (
                <td>{inline(tokens, depth + 1)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const inline = (tokens: readonly Token[], depth: number): ComponentChildren =>
  depth > MOST_DEPTH ? signs(tokens.map(({ raw }) => raw).join('')) : tokens.map((token) => piece(token, depth));

function piece(token: Token, depth: number): ComponentChildren {
  const within = () => inline((token as Tokens.Generic).tokens ?? [], depth + 1);
  switch (token.type) {
    case 'strong':
      return <strong>{within()}</strong>;
    case 'em':
      return <em>{within()}</em>;
    case 'del':
      return <del>{within()}</del>;
    case 'codespan': {
      const { text, opens } = token as Opening;
      const code = <code>{signs(text)}</code>;
      return opens === undefined ? code : <a href={opens}>{code}</a>;
    }
    case 'br':
      return <br />;
    case 'link':
      return <LinkText text={within()} raw={token.raw} address={(token as Tokens.Link).href} />;
    case 'image':
      return signs(token.raw);
    case 'escape':
    case 'text':
      return 'tokens' in token && token.tokens ? within() : signs((token as Tokens.Text).text);
    default:
      return signs(token.raw);
  }
}

/** A link whose text is its address is shown once. */
function LinkText({ text, raw, address }: { text: ComponentChildren; raw: string; address: string }) {
  if (raw === address || raw === `<${address}>`) return <span class="address">{signs(address)}</span>;
  return (
    <>
      {text} <span class="address">({signs(address)})</span>
    </>
  );
}
