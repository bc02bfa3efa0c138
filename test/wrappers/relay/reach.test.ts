// Which services a relay can ask: a connection is tried, as the relay would make it, and nothing is sent.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { standAside } from '../../../wrappers/relay/reach.ts';
import { CERTIFICATE } from '../../rig/loopback-certificate.ts';

const test = suite('reach of a relay');

// Whether it speaks our protocol is said before its certificate is.
for (const [protocol, why] of [
  ['h2', /cannot be reached from here \(ERR_SSL_\w+_ALERT_NO_APPLICATION_PROTOCOL\)/],
  ['http/1.1', /cannot be reached from here \(DEPTH_ZERO_SELF_SIGNED_CERT\)/],
] as const)
  test(`a service that speaks ${protocol} alone`, async () => {
    const server = createServer({ ...CERTIFICATE, ALPNProtocols: [protocol] }).on('tlsClientError', () => {});
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const aside = await standAside(`https://127.0.0.1:${port}/v1`, {}, new AbortController().signal);
    server.close();
    assert.match(aside!, why);
  });

test.run();
