import { useEffect, useRef } from 'preact/hooks';
import { fill } from '../formats.ts';
import { t } from '../page.ts';
import { Button } from './parts.tsx';

/** A field that somebody else has changed, and so has the reader. */
export interface Difference {
  label: string;
  /** What it is now, and what the reader has entered, as they read it. */
  value: string;
  own: string;
}

interface ConflictProps {
  differences: readonly Difference[];
  onMine: () => void;
  onTheirs: () => void;
}

/** Shows what somebody else has saved in the meantime, and lets the reader decide. */
export const Conflict = ({ differences, onMine, onTheirs }: ConflictProps) => {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <div class="notice warn" role="alert" tabIndex={-1} ref={box}>
      <p>
        <strong>{t.conflict.title}</strong>
      </p>
      <p>{t.conflict.lead}</p>
      <ul>
        {differences.map(({ label, value, own }) => (
          <li key={label}>
            {fill(t.conflict.row, { label, value: value || t.conflict.empty, own: own || t.conflict.empty })}
          </li>
        ))}
      </ul>
      <p class="bar">
        <Button onClick={onTheirs}>{t.conflict.theirs}</Button>
        <Button kind="first" onClick={onMine}>
          {t.conflict.mine}
        </Button>
      </p>
    </div>
  );
};
