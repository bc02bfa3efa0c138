// The status of a gRPC call, however a language writes it: by its capitals.

/** `PERMISSION_DENIED`, of `rpc error: code = PermissionDenied desc = …` as of `status = StatusCode.PERMISSION_DENIED`. */
export function grpcCodeIn(text: string): string | undefined {
  const found = SAID.exec(text);
  if (found === null) return undefined;
  const word = found.slice(1).find((one) => one !== undefined)!;
  const name = /^\d+$/.test(word) ? BY_NUMBER[Number(word)] : capitals(word);
  return name !== undefined && BY_NUMBER.includes(name) ? name : undefined;
}

/** Go; Python and .NET; Rust; Ruby; Connect; what stands in a header. */
const SAID =
  /\brpc error: code = (\w{1,30})|\bStatusCode(?:\.|=)"?(\w{1,30})|\bstatus: ([A-Z][A-Za-z]{1,30}), (?:message|details|self):|\bGRPC::(\w{1,30})|\bConnectError: \[(\w{1,30})\]|\bgrpc[-_ ](?:status|code)["']?\s{0,2}[:=]?\s{0,2}["']?(\d{1,2})\b/;

const capitals = (word: string): string => word.replace(/([a-z])(?=[A-Z])/g, '$1_').toUpperCase();

/** https://grpc.io/docs/guides/status-codes */
const BY_NUMBER: readonly string[] = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];
