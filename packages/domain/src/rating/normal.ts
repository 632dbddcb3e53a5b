/** A draw from the standard normal distribution, by Box and Muller: it takes two draws of `random`, uniform in [0, 1). */
export const normal = (random: () => number): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
