import { hexOfHsl } from '../../../shared/domain/report/color.ts';

describe('a colour in HSL', () => {
  it.each([
    ['0 100% 50%', '#ff0000'],
    ['120 100% 25%', '#008000'],
    ['210 80% 40%', '#1466b8'],
    ['360 0% 100%', '#ffffff'],
    ['48 100% 50%', '#ffcc00'],
    ['0 0% 0%', '#000000'],
  ])('%s is %s', (hsl, hex) => {
    expect(hexOfHsl(hsl)).toBe(hex);
  });
});
