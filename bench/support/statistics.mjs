/**
 * @param {Iterable<number>} values
 * @returns {number[]}
 */
function sorted(values) {
  return [...values].sort((a, b) => a - b);
}

/** @param {Iterable<number>} values */
export function median(values) {
  const order = sorted(values);
  const middle = Math.floor(order.length / 2);
  if (order.length === 0) return NaN;
  return order.length % 2 === 1 ? order[middle] : (order[middle - 1] + order[middle]) / 2;
}

/**
 * The nearest-rank percentile: the smallest value that `percent` of all values do not exceed.
 * @param {Iterable<number>} values
 * @param {number} percent
 */
export function percentile(values, percent) {
  const order = sorted(values);
  return order[Math.max(0, Math.ceil((order.length * percent) / 100) - 1)] ?? NaN;
}

/** @param {Iterable<number>} values */
export function range(values) {
  const order = sorted(values);
  return { lowest: order[0] ?? NaN, highest: order.at(-1) ?? NaN };
}
