/**
 * A colour as #rrggbb (CSS Color Module Level 4, section 7.1).
 * @param hsl a hue in degrees, and two percentages: `210 80% 40%`
 */
export const hexOfHsl = (hsl: string): string => {
  const [hue = 0, saturation = 0, lightness = 0] = hsl.split(' ').map((part) => Number.parseFloat(part));
  const light = lightness / 100;
  const reach = (saturation / 100) * Math.min(light, 1 - light);
  const channel = (offset: number): string => {
    const place = (offset + hue / 30) % 12;
    const share = light - reach * Math.max(-1, Math.min(place - 3, 9 - place, 1));
    return Math.round(255 * share)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${[0, 8, 4].map(channel).join('')}`;
};
