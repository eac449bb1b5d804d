import { send } from './api.ts';
import { addressOf, t } from './page.ts';

/*
 * What the server has drawn around the tabs: the program only makes it work.
 */

/** Shows a new name of the organization above the tabs. */
export const showName = (name: string): void => {
  const chosen = document.querySelector('#organization option:checked') ?? document.querySelector('.whose');
  if (chosen) chosen.textContent = name;
};

/** Shows another logo above the tabs; null for none. */
export const showLogo = (url: string | null): void => {
  const before = document.querySelector<HTMLImageElement>('header img');
  if (url === null) {
    before?.remove();
    return;
  }
  const image = before ?? document.createElement('img');
  image.alt = '';
  image.height = 36;
  image.src = url;
  if (!before) document.querySelector('header')!.prepend(image);
};

/** Lets the session act in another organization, and opens the app there. */
export const choose = async (id: string): Promise<void> => {
  await send('PUT', '/session', { body: { organization_id: id } });
  location.assign(addressOf('/admin'));
};

/** Signs out here and, where it has a page for that, at the identity provider. */
const signOut = async (): Promise<void> => {
  // Whoever signs in next in this window finds nothing of what was entered.
  sessionStorage.clear();
  const { redirect_url } = await send<{ redirect_url: string | null }>('POST', '/sign-out').catch(() => ({
    redirect_url: null,
  }));
  location.assign(redirect_url ?? addressOf('/app/sign-in?anew=1'));
};

const busy = (button: HTMLButtonElement): void => {
  button.setAttribute('aria-disabled', 'true');
  button.textContent = t.common.working;
};

/** Opens or closes the list of tabs where it is a menu, which it is on a phone. */
export const showMenu = (isOpen: boolean): void => {
  document.querySelector('#menu')?.setAttribute('aria-expanded', String(isOpen));
  document.querySelector('nav')?.classList.toggle('open', isOpen);
};

/** Makes the header work. */
export const startFrame = (onFailure: (error: unknown) => void): void => {
  const button = document.querySelector<HTMLButtonElement>('#sign-out')!;
  button.onclick = () => {
    if (button.ariaDisabled === 'true') return;
    busy(button);
    void signOut();
  };
  const menu = document.querySelector<HTMLButtonElement>('#menu');
  if (menu) menu.onclick = () => showMenu(menu.ariaExpanded !== 'true');
  const organizations = document.querySelector<HTMLSelectElement>('#organization');
  if (!organizations) return;
  const before = organizations.value;
  organizations.onchange = () => {
    choose(organizations.value).catch((error: unknown) => {
      organizations.value = before;
      onFailure(error);
    });
  };
};
