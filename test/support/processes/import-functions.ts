import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { loadCatalogue, ROOT } from '../../../infra/catalogue.ts';

// Runs on Node itself, as Lambda does. Reports what the modules read and connect to when they are imported.
const done: string[] = [];

for (const read of ['readFileSync', 'readdirSync', 'openSync', 'createReadStream'] as const) {
  const real = fs[read] as (...args: unknown[]) => unknown;
  Object.assign(fs, {
    [read]: (...args: unknown[]) => {
      const path = String(args[0]);
      // The loader of Node reads modules and their manifests, which is allowed.
      if (path.startsWith(ROOT) && !/\.([cm]?[jt]s|json|node)$/.test(path))
        done.push(`${read} ${path.replace(ROOT, '')}`);
      return real(...args);
    },
  });
}
syncBuiltinESMExports();

const connect = Reflect.get(Socket.prototype, 'connect') as (...args: unknown[]) => Socket;
Object.assign(Socket.prototype, {
  connect(this: Socket, ...args: unknown[]) {
    done.push(`connect ${JSON.stringify(args[0])}`);
    return connect.apply(this, args);
  },
});

const { operations, workers } = await loadCatalogue();
process.stdout.write(JSON.stringify({ modules: operations.length + workers.length, done }));
