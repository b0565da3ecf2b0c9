/** Which services a choice grants. For the banner's part that offers them (services/) and for the blocker. */

/** Stood for a service in choices that were made before services had ids. */
const HASH = /^[\da-f]{8}$/;

interface ChoiceOfServices {
  prompt?: string | null | undefined;
  services?: Record<string, unknown> | undefined;
}

/**
 * Each service as the visitor chose it, else as its category. A service that was not offered then is refused until
 * the visitor is asked.
 */
export const grantedServices = (
  choice: ChoiceOfServices,
  services: readonly (readonly [id: string, category: string])[],
): Record<string, boolean> => {
  const offered = choice.prompt ? choice.prompt.split(',') : [];
  const isUnknown = !choice.prompt || offered.some((item) => HASH.test(item));
  return Object.fromEntries(
    services.map(([id, category]) => {
      const own = choice.services?.[id];
      return [
        id,
        typeof own === 'boolean' ? own : !!choice[category as never] && (isUnknown || offered.includes(id)),
      ];
    }),
  );
};
