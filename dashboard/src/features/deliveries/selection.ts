import { useMemo, useState } from 'react';
import type { DeliveryResponse } from '../../client/types.gen';

/** As many as the API sends again by name at once. */
export const SELECTED_MAX = 200;

/** The records that are chosen from the list, by their ids: two attempts of one record are one. */
export interface Selection {
  ids: ReadonlySet<string>;
  toggle(consentId: string): void;
  /** Chooses those as well, the first `CHOSEN_MAX` of all. */
  add(attempts: Pick<DeliveryResponse, 'consentId'>[]): void;
  clear(): void;
}

export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  return useMemo(
    () => ({
      ids,
      toggle: (consentId) =>
        setIds((before) => {
          const after = new Set(before);
          if (!after.delete(consentId) && after.size < SELECTED_MAX) after.add(consentId);
          return after;
        }),
      add: (attempts) =>
        setIds((before) => {
          const all = [...before, ...attempts.map(({ consentId }) => consentId)];
          return new Set([...new Set(all)].slice(0, SELECTED_MAX));
        }),
      clear: () => setIds(new Set()),
    }),
    [ids],
  );
}
