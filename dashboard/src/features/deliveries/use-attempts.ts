import { useQuery } from '@tanstack/react-query';
import { deliveryListOptions } from '../../client/@tanstack/react-query.gen';
import type { ConsentResponse } from '../../client/types.gen';

/** Attempts shown of one record. */
const ATTEMPTS_MAX = 50;

/** A record's delivery, as `GET …/consents/:consentId` reports it; null: the log no longer holds an attempt. */
export type DeliveryState = {
  outcome: string;
  reason?: string;
  attempt?: number;
  nextAttemptAt?: string;
} | null;

/** The record's attempts, newest first. */
export function useAttempts(projectId: string, record: ConsentResponse) {
  return useQuery({
    ...deliveryListOptions({ path: { projectId }, query: { consentId: record.id, limit: ATTEMPTS_MAX } }),
    // A new outcome of the record is a new attempt of this list.
    queryHash: JSON.stringify(['attempts', record.id, record.delivery]),
  });
}
