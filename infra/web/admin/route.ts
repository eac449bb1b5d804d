import { useEffect, useState } from 'preact/hooks';
import { type AdminPlace, placeOf, tabsOf } from '../../../shared/http/pages/admin-data.ts';
import { addressOf, page } from './page.ts';

/** The tabs that the person may open. */
export const allowed = page.organization ? tabsOf(page.organization.role) : [];

/** What the address of the window names. */
export interface Route {
  /** Null where there is nothing. */
  place: AdminPlace | null;
  id: string | undefined;
  query: URLSearchParams;
}

/** What a page shows for its address. Its parts are loaded when the first of them is opened. */
export type Content = (route: Route & { place: AdminPlace }) => preact.JSX.Element;

const routeAt = ({ pathname, search }: Pick<Location, 'pathname' | 'search'>): Route => {
  const [, tab, id] = pathname.slice(page.base.length).split('/').filter(Boolean);
  const place = tab === undefined ? (allowed[0] ?? 'profile') : (placeOf(tab, id) ?? null);
  return { place, id, query: new URLSearchParams(search) };
};

/** The address of a place, of one object there, or of its list with filters. */
export const addressOfPlace = (
  place: AdminPlace,
  id?: string,
  query: Record<string, string> = {},
): string => {
  const search = new URLSearchParams(query).toString();
  return addressOf(`/admin/${place}${id === undefined ? '' : `/${id}`}${search && `?${search}`}`);
};

const MOVED = 'admin-moved';

let moved = false;

/** Whether another page was opened since the window was loaded. */
export const hasMoved = (): boolean => moved;

/** Opens an address of the app without loading the page again. */
export const go = (address: string, how: 'pushState' | 'replaceState' = 'pushState'): void => {
  history[how](null, '', address);
  moved = true;
  dispatchEvent(new Event(MOVED));
};

/** Keeps filters in the address, so that it can be shared. Empty ones are left out. */
export const keepInAddress = (filters: Readonly<Record<string, string>>): void => {
  const kept = Object.entries(filters).filter(([, value]) => value !== '');
  const query = new URLSearchParams(kept).toString();
  go(`${location.pathname}${query && `?${query}`}`, 'replaceState');
};

/** The link of the app that somebody presses to open it here; undefined for every other press. */
const linkOf = ({ target, button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent) => {
  const link = (target as Element).closest('a');
  if (!link || link.download || link.target || button !== 0) return undefined;
  if (metaKey || ctrlKey || shiftKey || altKey || link.origin !== location.origin) return undefined;
  return link.pathname.startsWith(addressOf('/admin/')) ? link : undefined;
};

/** Follows the address of the window, and opens links of the app without loading the page again. */
export const useRoute = (): Route => {
  const [route, setRoute] = useState(() => routeAt(location));
  useEffect(() => {
    const open = (event: MouseEvent) => {
      const link = linkOf(event);
      if (!link) return;
      event.preventDefault();
      if (link.href !== location.href) go(link.href);
    };
    const move = () => {
      moved = true;
      setRoute(routeAt(location));
    };
    document.addEventListener('click', open);
    addEventListener('popstate', move);
    addEventListener(MOVED, move);
    return () => {
      document.removeEventListener('click', open);
      removeEventListener('popstate', move);
      removeEventListener(MOVED, move);
    };
  }, []);
  return route;
};
