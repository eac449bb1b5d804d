/** What a picture says of a month. */
export interface Bar {
  key: string;
  /** The whole name of the month, and shorter ones for where there is less room. */
  name: string;
  short: string;
  narrow: string;
  /** From 0 to 100; null where there is nothing to show. */
  value: number | null;
  /** The value in words, with what it is made from. */
  text: string;
  /** The value, and how many it is made from, as figures. */
  figure: string;
  count: string;
}

const HEIGHT = 100;

/** A bar of its length in percent, for pictures and rows. */
const Upright = ({ value }: { value: number | null }) => (
  <svg viewBox={`0 0 1 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
    <rect class="track" width="1" height={HEIGHT} />
    {value !== null && <rect y={HEIGHT - value} width="1" height={value} />}
  </svg>
);

/** A picture of percentages by month, which a screen reader reads as one sentence. */
export const Bars = ({ title, help, bars }: { title: string; help: string; bars: readonly Bar[] }) => (
  <figure class="chart">
    <figcaption>
      {title} <span class="sub">{help}</span>
    </figcaption>
    <div
      class="bars"
      role="img"
      aria-label={`${title}: ${bars.map(({ name, text }) => `${name}: ${text}`).join('; ')}`}
    >
      {bars.map(({ key, short, narrow, value, figure, count }) => (
        <div key={key}>
          <b>{figure}</b>
          <Upright value={value} />
          <span class="wide">{short}</span>
          <span class="tight">{narrow}</span>
          <small>{count}</small>
        </div>
      ))}
    </div>
  </figure>
);

/** A value in a row, with a bar as long as it is. The text says the same. */
export const Share = ({ value, text, more }: { value: number | null; text: string; more: string }) => (
  <span class="share">
    <span>
      {text} <span class="sub">{more}</span>
    </span>
    {value !== null && (
      <svg viewBox={`0 0 ${HEIGHT} 1`} preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width={HEIGHT} height="1" />
        <rect width={value} height="1" />
      </svg>
    )}
  </span>
);
