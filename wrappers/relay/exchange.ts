// One request and its answer, as they went through the relay; of long bodies the beginning is kept.

/** In the order of the wire, name after name with its value behind it. */
export type RawHeaders = readonly string[];

export interface Exchange {
  method: string;
  /** Of the service itself, query and all. */
  url: string;
  request: { headers: RawHeaders; body: KeptBody };
  /** null where none came. */
  response: { status: number; headers: RawHeaders; body: KeptBody } | null;
  end: ExchangeEnd;
  /** What the operating system said, where it was no whole answer; null where it said nothing. */
  error: string | null;
}

/** `under_way`: the call ended before it did. */
type ExchangeEnd = 'under_way' | 'whole' | 'cut_by_service' | 'cut_by_cli' | 'unanswered';

export interface KeptBody {
  /** Of all that went through. */
  bytes: number;
  chunks: Buffer[];
  keptBytes: number;
  /** Its end came. */
  whole: boolean;
}

/** 8 MB, and beyond them what shows a secret whole that begins in them. */
export const MOST_KEPT_BYTES = 8_000_000;
export const BEYOND_BYTES = 64 * 1024;

export const emptyBody = (): KeptBody => ({ bytes: 0, chunks: [], keptBytes: 0, whole: false });

export function keep(body: KeptBody, chunk: Buffer): void {
  body.bytes += chunk.length;
  const room = MOST_KEPT_BYTES + BEYOND_BYTES - body.keptBytes;
  if (room <= 0) return;
  // A slice would hold on to the whole chunk.
  const piece = chunk.length <= room ? chunk : Buffer.from(chunk.subarray(0, room));
  body.chunks.push(piece);
  body.keptBytes += piece.length;
}

const hasFailed = ({ end, response }: Exchange): boolean => end !== 'whole' || (response?.status ?? 0) >= 400;

/** Keeps the last request that failed, until one at the same address goes well; the last one of all; and what is under way. */
interface Memory {
  begun(exchange: Exchange): void;
  /** What a failure of the call is most likely about; null where nothing went through. */
  relevant(): Exchange | null;
}

export function createMemory(): Memory {
  let kept: Exchange[] = [];
  const forget = () => {
    const wentWell = (one: Exchange) => one.end === 'whole' && !hasFailed(one);
    const lastFailed = kept.findLast((one) => one.end !== 'under_way' && hasFailed(one));
    const lastWell = kept.findLast(wentWell);
    const isMended = ({ url }: Exchange, i: number) =>
      kept.slice(i + 1).some((one) => one.url === url && wentWell(one));
    kept = kept.filter(
      (one, i) => one.end === 'under_way' || one === lastWell || (one === lastFailed && !isMended(one, i)),
    );
  };
  return {
    begun(exchange) {
      // Requests to models use POST. Other requests are irrelevant.
      if (exchange.method !== 'POST') return;
      forget();
      kept.push(exchange);
    },
    relevant() {
      forget();
      return kept.findLast(hasFailed) ?? kept.at(-1) ?? null;
    },
  };
}
