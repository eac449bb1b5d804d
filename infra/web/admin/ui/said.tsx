import { useEffect, useState } from 'preact/hooks';

/** How long a message stays, in milliseconds. */
const SHOWN = 6_000;

let show: (text: string) => void = () => undefined;

/** Says that something was done. Whoever cannot see it hears it. */
export const say = (text: string): void => show(text);

export const Said = () => {
  const [said, setSaid] = useState({ text: '' });
  useEffect(() => {
    show = (text) => setSaid({ text });
  }, []);
  useEffect(() => {
    const timer = setTimeout(() => said.text && setSaid({ text: '' }), SHOWN);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <div class="said" role="status">
      {said.text}
    </div>
  );
};
