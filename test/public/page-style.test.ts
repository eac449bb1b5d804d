import { STYLE } from '../../shared/http/pages/style.ts';

describe('the style of pages', () => {
  /** The relative luminance of a colour such as `#1d2429` (WCAG 2.2, "relative luminance"). */
  const luminance = (colour: string): number => {
    const [full] = [colour.length === 4 ? colour.replaceAll(/[\da-f]/g, '$&$&') : colour];
    const [red, green, blue] = [1, 3, 5].map((start) => {
      const share = Number.parseInt(full.slice(start, start + 2), 16) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    }) as [number, number, number];
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one: string, other: string): number => {
    const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a) as [number, number];
    return (light + 0.05) / (dark + 0.05);
  };
  const themes = [...STYLE.text.matchAll(/:root\{([^}]*)\}/g)].map(([, declared]) =>
    Object.fromEntries(
      [...declared!.matchAll(/--([\w-]+):(#[\da-f]+)/g)].map(([, name, colour]) => [name, colour!]),
    ),
  );

  test.each([
    ['text', 'card', 4.5],
    ['text', 'ground', 4.5],
    ['soft', 'card', 4.5],
    ['soft', 'ground', 4.5],
    ['main', 'card', 4.5],
    ['on-main', 'main', 4.5],
    ['line', 'card', 3],
  ])('has %s on %s with a contrast of at least %s, light and dark', (front, back, least) => {
    expect(themes).toHaveLength(2);
    for (const theme of themes) expect(contrast(theme[front], theme[back])).toBeGreaterThanOrEqual(least);
  });
});
