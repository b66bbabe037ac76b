/** The option by which `hub serve` knows that a supervising process has started it. */
export const supervised = "supervised";
