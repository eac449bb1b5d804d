import { demoAccount, placesBoard } from '../../../infra/local/monday/account.ts';
import { startMonday } from '../../../infra/local/monday/server.ts';

// Serves boards of as many items as the arguments say, the ids of the boards being 90, 91 and so on.

const account = demoAccount();
for (const [position, items] of process.argv.slice(2).entries())
  account.boards.push(...placesBoard(String(90 + position), { items: Number(items), subitems: 0 }));
const { url, token } = await startMonday(account);
process.send!({ url, token });
process.on('disconnect', () => process.exit());
