import { EventLog, EventPage } from '../explore/events.tsx';
import { Home } from '../explore/home.tsx';
import { kindAt } from '../explore/kinds.tsx';
import { List } from '../explore/list.tsx';
import { NumbersPage } from '../explore/numbers/page.tsx';
import { ObjectPage } from '../explore/object.tsx';
import { Requests } from '../explore/requests.tsx';
import type { Content } from '../route.ts';

/** The home, the lists and pages of objects, and the log of events, which are loaded together. */
export const content: Content = ({ place, id, query }) => {
  if (place === 'home') return <Home />;
  if (place === 'events') return id === undefined ? <EventLog /> : <EventPage sequence={Number(id)} />;
  if (place === 'requests') return <Requests query={query} />;
  if (place === 'numbers') return <NumbersPage query={query} />;
  const kind = kindAt(place)!;
  return id === undefined ? <List kind={kind} query={query} /> : <ObjectPage kind={kind} id={id} />;
};
