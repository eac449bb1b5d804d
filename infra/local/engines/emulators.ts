import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import type ses from 'aws-ses-v2-local';
import { guardServer } from '../door.ts';
import { makeQueuesFair } from './fair-queues.ts';
import type { Running } from './process.ts';

const require = createRequire(import.meta.url);

/**
 * Closes connections to this port that come from another machine, and guards the server against web pages: fauxqs
 * listens on every network interface, it has no authentication, and it does not give us its server.
 * @returns how to end that
 */
const refuseOthers = (port: () => number | undefined): (() => void) => {
  const guarded = new WeakSet<Server>();
  const onSocket = (message: unknown) => {
    const { socket } = message as { socket: Socket & { server: Server } };
    if (socket.localPort !== port()) return;
    if (!guarded.has(socket.server)) {
      guarded.add(socket.server);
      guardServer(socket.server);
    }
    if (!/^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '')) socket.destroy();
  };
  subscribe('net.server.socket', onSocket);
  return () => unsubscribe('net.server.socket', onSocket);
};

/** Starts the emulator of S3 and SQS, with its data in `dataDir`. */
export const startFilesAndQueues = async (dataDir: string): Promise<Running> => {
  const { startFauxqs } = await import('fauxqs');
  await makeQueuesFair();
  let port: number | undefined;
  const stopRefusing = refuseOthers(() => port);
  const server = await startFauxqs({
    port: 0,
    logger: false,
    dataDir: join(dataDir, 'fauxqs'),
  });
  port = server.port;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: async () => {
      await server.stop();
      stopRefusing();
    },
  };
};

/** Starts the emulator of SES, which keeps mail in memory. */
export const startMail = async (): Promise<Running> => {
  const { default: startSes } = require('aws-ses-v2-local') as typeof ses;
  const server = await startSes({ host: '127.0.0.1', port: 0 });
  guardServer(server);
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
