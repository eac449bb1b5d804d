import { setTimeout as sleep } from 'node:timers/promises';

interface Mail {
  text: string;
}

/** How often the mails are looked at before the demo goes on without a link. */
const LOOKS = 60;

/** What the service has mailed, the oldest first; undefined where it does not show it, as only a local one does. */
const mailsOf = async (url: string): Promise<Mail[] | undefined> => {
  const response = await fetch(`${url}/mails`).catch(() => undefined);
  return response?.ok ? ((await response.json()) as Mail[]) : undefined;
};

/** How many mails the service has sent; undefined where it does not show them. */
export const mailsSoFar = async (url: string): Promise<number | undefined> => (await mailsOf(url))?.length;

/**
 * The link in a mail, once that is sent.
 * @param sent mails that were sent before
 * @param page which pages the link opens, as its path begins
 * @param about a text of the mail
 * @returns undefined where the service does not show its mails
 */
export const mailedLink = async (
  url: string,
  sent: number | undefined,
  page: 'c' | 'confirm',
  about: string,
): Promise<string | undefined> => {
  if (sent === undefined) return undefined;
  for (let look = 0; look < LOOKS; look += 1) {
    const mails = (await mailsOf(url)) ?? [];
    const links = mails
      .slice(sent)
      .filter(({ text }) => text.includes(about))
      .flatMap(({ text }) => text.match(new RegExp(`https?:\\S+/${page}/[\\w-]{22}`)) ?? []);
    if (links[0] !== undefined) return links[0];
    await sleep(500);
  }
  return undefined;
};
