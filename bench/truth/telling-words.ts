// Lists words that distinguish failures, in groups: each word of a group can replace another, and changes the meaning.

const words = (list: string): readonly string[] => list.split(' ');

export const GROUPS: readonly (readonly string[])[] = [
  'expired revoked missing disabled malformed duplicated',
  'read write open delete rename create execute',
  'model session file project account organization region workspace profile extension directory',
  'refused reset closed aborted',
  'request response prompt message stream',
  'input output',
  'overloaded unavailable exhausted suspended deactivated archived',
  'billing subscription payment licence',
  'memory disk network database',
  'certificate proxy gateway firewall',
  'user admin owner member guest',
  'parse load save connect resolve start initialize fetch send decode verify acquire validate',
  'key token password cookie',
  'large long small deep',
  'argument option command variable setting',
  'client server host peer',
  'internal external remote local',
  'header body parameter field',
  'credits seats requests tokens',
].map(words);

/** Words that follow "not". */
export const DENIALS = words('found allowed supported permitted configured installed enabled authorized');

/** Kinds of what is run or loaded and can be missing. */
export const KINDS = words('command module package binary executable library plugin interpreter');

export const ERRNOS = words(
  'ENOENT EACCES EPERM EROFS ENOSPC ENOMEM EMFILE EISDIR ENOTDIR EEXIST EBUSY EPIPE ECONNREFUSED ECONNRESET ECONNABORTED ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH EADDRINUSE EINVAL',
);

export const GRPC = words(
  'CANCELLED INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED',
);

export const CODES = words(
  'invalid_api_key rate_limit_exceeded insufficient_quota context_length_exceeded model_not_found server_error invalid_request_error permission_error authentication_error overloaded_error usage_limit_reached content_filter billing_hard_limit_reached',
);

export const SIGNALS = words('SIGKILL SIGSEGV SIGABRT SIGTERM SIGBUS SIGILL SIGINT');

export const ERROR_TYPES = words(
  'TypeError RangeError SyntaxError ReferenceError FetchError AbortError TimeoutError ConfigError AuthenticationError PermissionError ValidationError QuotaError',
);

export const STATUSES: readonly number[] = [400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504, 529];

/** Words that no failure is about: they replace a verb or noun of the first sentence. */
export const STRANGERS = words(
  'archive compile publish rotate measure import branch schema ledger widget parcel matrix',
);

/** Words that form a sentence but do not describe a failure. */
export const CARRIERS: ReadonlySet<string> = new Set(
  words(
    'about after again already another because been before being below between cannot could does doing during each either error failed failure fatal first following from further have having here into itself last least less likely many might more most much must need needs only other over please provided retry retrying same second should since some such than that their them then there these they this those through under unless until upon very want warning were what when where whether which while will with within without would your yours',
  ),
);
