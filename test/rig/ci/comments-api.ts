// Serves the comments of one pull or merge request on the loopback, as GitHub and GitLab do over REST.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Comment {
  id: number;
  body: string;
  /** The owner of the token is `github-actions[bot]` on GitHub, and 7 on GitLab. */
  user: { login: string };
  author: { id: number };
}

export interface CommentsApi {
  url: string;
  comments: Comment[];
  /** Method and path of each request, and its body. */
  requests: { method: string; path: string; token: string; body: Record<string, string> | null }[];
  close(): void;
}

const PAGE = 100;

/** @param there comments of others that exist before the first request. */
export async function startCommentsApi(there: readonly string[] = []): Promise<CommentsApi> {
  const stranger = (body: string, id: number): Comment => ({
    id,
    body,
    user: { login: 'stranger' },
    author: { id: 1 },
  });
  const comments = there.map(stranger);
  const requests: CommentsApi['requests'] = [];
  const server = createServer(async (incoming, outgoing) => {
    let text = '';
    for await (const chunk of incoming) text += chunk;
    const url = new URL(incoming.url!, 'http://loopback');
    const token = String(incoming.headers.authorization ?? incoming.headers['private-token'] ?? '');
    const body = text === '' ? null : (JSON.parse(text) as Record<string, string>);
    const method = incoming.method!;
    requests.push({ method, path: url.pathname, token, body });
    outgoing.setHeader('content-type', 'application/json');
    outgoing.end(JSON.stringify(answer(method, url, body)));
  });
  function answer(method: string, url: URL, body: Record<string, string> | null): unknown {
    if (method === 'GET' && url.pathname.endsWith('/user')) return { id: 7 };
    if (method === 'GET') {
      const from = (Number(url.searchParams.get('page')) - 1) * PAGE;
      return comments.slice(from, from + PAGE);
    }
    if (!/(?:comments|notes)(?:\/\d+)?$/.test(url.pathname)) return {};
    const known = comments.find(({ id }) => url.pathname.endsWith(`/${id}`));
    if (known) return Object.assign(known, body);
    const made = {
      ...stranger(body!.body!, comments.length),
      user: { login: 'github-actions[bot]' },
      author: { id: 7 },
    };
    comments.push(made);
    return made;
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, comments, requests, close: () => void server.close() };
}
