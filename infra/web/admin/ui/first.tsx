import { FIRST_OPERATIONS, type FirstPlace } from '../explore/first-requests.ts';
import { page, t } from '../page.ts';
import { addressOfPlace } from '../route.ts';
import { Code } from './code.tsx';
import { Empty } from './parts.tsx';

/** The requests in curl by the ids of their operations. The build makes them from the declarations. */
declare const FIRST_REQUESTS: Readonly<Record<string, string>>;

const x = t.explore.first;

/** What is to know of some lists besides the request. */
const HOW: Partial<Record<FirstPlace, string>> = {
  certificates: x.certificates,
  events: x.events,
  findings: x.findings,
};

const isFirstPlace = (place: string): place is FirstPlace => place in FIRST_OPERATIONS;

interface FirstProps {
  /** The list that has no entry yet. */
  place: string;
  /** What it says, where it has a text of its own. */
  text?: string;
}

/** What stands where a list has no entry yet: how the first one comes to be. Only admins have keys. */
export const First = ({ place, text = t.explore.empty }: FirstProps) => {
  if (!isFirstPlace(place) || page.organization!.role !== 'admin') return <Empty>{text}</Empty>;
  return (
    <div class="empty first">
      <p>
        {text} {HOW[place]}
      </p>
      <p>
        {x.request} <a href={addressOfPlace('api-keys')}>{t.tabs['api-keys'].name}</a>
      </p>
      <Code>{FIRST_REQUESTS[FIRST_OPERATIONS[place]]!}</Code>
    </div>
  );
};
