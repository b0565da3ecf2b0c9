import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import './first-responses';
import { ApiProblem } from './problem';

/** Statuses that a retry may resolve. */
const PASSING = new Set([0, 502, 503, 504]);
const RETRIES_MAX = 2;
const STALE_MS = 5_000;

/** Called when the session has ended; the router sets the listener. */
export const sessionEnd: { listener: () => void } = { listener: () => {} };

function noticeSessionEnd(error: Error): void {
  if (error instanceof ApiProblem && error.code === 'authentication_required') sessionEnd.listener();
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSessionEnd }),
  mutationCache: new MutationCache({ onError: noticeSessionEnd }),
  defaultOptions: {
    queries: {
      // Slow responses to a first page are as fresh as the fast ones: nothing is requested twice.
      staleTime: () => (globalThis.firstResponses ? Infinity : STALE_MS),
      // A request that fails says so at once; the page offers another try.
      networkMode: 'always',
      retry: (failed, error) =>
        failed < RETRIES_MAX && error instanceof ApiProblem && PASSING.has(error.status),
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

/** The API's read operations, from the names of their generated query keys. */
export type Operation =
  Extract<keyof typeof import('../client/@tanstack/react-query.gen'), `${string}QueryKey`> extends infer Key
    ? Key extends `${string}InfiniteQueryKey`
      ? never
      : Key extends `${infer Name}QueryKey`
        ? Name
        : never
    : never;

/** Refetches every query of these operations. */
export function invalidate(operations: readonly Operation[]): Promise<void> {
  return queryClient.invalidateQueries({
    predicate: ({ queryKey }) => operations.some((name) => name === (queryKey[0] as { _id?: string })?._id),
  });
}
