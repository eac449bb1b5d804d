/** Numbers from 0 to 1 in an order that looks like chance and is the same in every run (Park and Miller, 1988). */
export const newChance = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
};
