// Defines the rules for a service that could not be reached, or a connection that broke.

import type { Rule } from './rule.ts';

export const NETWORK_RULES = [
  {
    id: 'network-code',
    tool: 'any',
    source: 'any',
    match: {
      code: [
        'ECONNREFUSED',
        'ECONNRESET',
        'ECONNABORTED',
        'ETIMEDOUT',
        'ENOTFOUND',
        'EAI_AGAIN',
        'EAI_FAIL',
        // Codes of the resolver itself.
        'ESERVFAIL',
        'ENODATA',
        'ETIMEOUT',
        'EPIPE',
        'ENETUNREACH',
        'ENETDOWN',
        'EHOSTUNREACH',
        'EHOSTDOWN',
        'EADDRNOTAVAIL',
        'UND_ERR_SOCKET',
        'UND_ERR_CONNECT_TIMEOUT',
        'UND_ERR_HEADERS_TIMEOUT',
        'UND_ERR_BODY_TIMEOUT',
      ],
    },
    class: 'transient',
    reason: 'network',
    proof: [{ message: 'connect ECONNREFUSED 127.0.0.1:9', code: 'ECONNREFUSED' }],
  },
  {
    id: 'network-words',
    tool: 'any',
    source: 'any',
    match: {
      status: ['none'],
      text: /\bfetch failed\b|\bother side closed\b|\bSocketError\b|\bERR_HTTP2_\w+|\bhttp2? session\b.{0,20}\bdestroyed|\bsession has been destroyed\b|\brequest to \S{1,300} failed\b|\bbad record mac\b|\bos error (?:32|101|104|110|111|113|10054|10060|10061)\b|\bsocket hang up\b|^(?:typeerror: )?terminated$|\bconnection\b.{0,20}\b(?:refused|reset|closed|aborted|fail\w*|lost|dropped|timed out|terminated|error)|\bupstream connect error|\bunexpected (?:eof|end of (?:file|stream))|\bssl_error_syscall|\bhandshake failure|\bERR_(?:INTERNET|NETWORK|CONNECTION|NAME_NOT|STREAM|TIMED_OUT|PROXY)\w*|\bname resolution|\b(?:could not|unable to|failed to|cannot|can't) (?:connect|reach|resolve)|\berror sending request|\bnetwork (?:error|is unreachable|connection)|\bgetaddrinfo\b|\bfailed to lookup address|\bname (?:does not resolve|or service not known)|\bno route to host|\bhost (?:is )?unreachable|\btls handshake|\bstream disconnected\b|\btransport error|\berror decoding response body|\bwaiting for network|\bbroken pipe\b|\bhyper::Error\(|\bIncompleteMessage\b|^reconnecting\b/i,
    },
    class: 'transient',
    reason: 'network',
    proof: [{ message: 'stream disconnected before completion: error sending request' }],
  },
  {
    id: 'network-timeout',
    tool: 'any',
    source: 'any',
    match: { status: ['none'], text: /\btimed[ -]?out\b|\btime-?out\b|\bdeadline (?:expired|exceeded)/i },
    class: 'transient',
    reason: 'timeout',
    proof: [{ message: 'Native model HTTP stream timed out' }],
  },
  {
    id: 'network-server-words',
    tool: 'any',
    source: 'any',
    match: {
      status: ['none'],
      text: /\binternal (?:server )?error\b|\bserver had an error|\bbad gateway\b|\bunexpected server error|\btemporary errors?\b|\btransient (?:api )?error/i,
    },
    class: 'transient',
    reason: 'server_error',
    proof: [{ message: 'An unexpected server error occurred.' }],
  },
] as const satisfies readonly Rule[];
