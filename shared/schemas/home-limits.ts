/** Where counting ends, so that the page costs the same for an organization of any size. */
export const MAX_COUNTED = 1_000;
