/** Whether a choice still covers the current prompt. For the loader and the blocker. */

/** The published prompt of a site. */
interface Asked {
  policyVersion: string;
  categories: string[];
  /** Of services that need consent; absent in older documents. */
  serviceIds?: string[];
  reconsentMonths?: number;
}

/** The mean month of the Gregorian calendar, to within 5 minutes. */
const MONTH_MS = 2_630_000_000;
/** A visitor who refused something gets no prompt for at least this long. */
const REFUSAL_MONTHS_MIN = 6;

/**
 * With the same policy version, a new category requires a new choice; with another version, a new
 * category or service does, and a visitor who accepted everything also gets a new prompt unless the
 * change only removes something. Choices stored by an older loader have neither prompt nor time.
 */
export const stillCounts = (
  choice: { at?: number; prompt?: string | null },
  { policyVersion, categories, serviceIds, reconsentMonths }: Asked,
): boolean => {
  const all = categories.concat(serviceIds ?? []);
  // The empty item at the end is that of an empty list.
  const known = `${choice.prompt},`.split(',');
  const isSamePolicy = known.includes(policyVersion);
  const isRefusal = categories.some((category) => !choice[category as never]);
  return (
    (!choice.prompt ||
      (!`${isSamePolicy ? categories : all}`.split(',').some((item) => !known.includes(item)) &&
        (isRefusal || isSamePolicy || known.length - 2 > all.length))) &&
    // Never true without a number of months.
    !(
      Date.now() - (choice.at as number) >
      Math.max(reconsentMonths as number, (isRefusal as never) * REFUSAL_MONTHS_MIN) * MONTH_MS
    )
  );
};
