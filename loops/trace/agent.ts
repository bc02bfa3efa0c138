// The connections of one export: with the certificates that OpenTelemetry's variables name, and all ended with it, whoever still talks.

import type { Agent } from 'node:http';
import { readFollowedBytes } from '../../state/disk/regular-file.ts';

interface Connections {
  /** As the exporter asks for them. */
  agentFor(protocol: string): Promise<Agent>;
  end(): void;
}

/** Throws what is wrong with a certificate that is named. */
export function openConnections(environment: NodeJS.ProcessEnv): Connections {
  const agents: Agent[] = [];
  const fileOf = (name: string): Buffer | undefined => {
    const file = environment[`OTEL_EXPORTER_OTLP_TRACES_${name}`] || environment[`OTEL_EXPORTER_OTLP_${name}`];
    return file ? readFollowedBytes(file) : undefined;
  };
  return {
    async agentFor(protocol) {
      const agent =
        protocol === 'https:'
          ? new (await import('node:https')).Agent({
              ca: fileOf('CERTIFICATE'),
              cert: fileOf('CLIENT_CERTIFICATE'),
              key: fileOf('CLIENT_KEY'),
            })
          : new (await import('node:http')).Agent();
      agents.push(agent);
      return agent;
    },
    end() {
      for (const agent of agents) agent.destroy();
    },
  };
}
