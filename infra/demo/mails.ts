import { setTimeout as sleep } from 'node:timers/promises';

interface Mail {
  text: string;
}

/** How often the mails are looked at before the demo goes on without a link. */
const LOOKS = 60;

/** What the service has mailed, the oldest first; nothing where it does not show it, as only a local one does. */
const mailsOf = async (url: string): Promise<Mail[]> => {
  const response = await fetch(`${url}/mails`).catch(() => undefined);
  return response?.ok ? ((await response.json()) as Mail[]) : [];
};

/** How many mails the service has sent. */
export const mailsSoFar = async (url: string): Promise<number> => (await mailsOf(url)).length;

/**
 * The link to a task, from the mail that tells of it.
 * @param sent mails that were sent before
 * @returns undefined where the service does not show its mails
 */
export const taskLink = async (url: string, sent: number, title: string): Promise<string | undefined> => {
  if (sent === 0) return undefined;
  for (let look = 0; look < LOOKS; look += 1) {
    const mail = (await mailsOf(url)).slice(sent).find(({ text }) => text.includes(title));
    const [link] = mail?.text.match(/https?:\S+\/c\/[\w-]{22}/) ?? [];
    if (link) return link;
    await sleep(500);
  }
  return undefined;
};
