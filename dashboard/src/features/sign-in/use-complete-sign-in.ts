import { useRouter } from '@tanstack/react-router';
import { authSessionOptions } from '../../client/@tanstack/react-query.gen';
import { queryClient } from '../../api/query-client';

/** Leads on once a session is open: nothing of another person's stays in the cache. */
export function useCompleteSignIn(to: string | undefined): () => Promise<void> {
  const router = useRouter();
  return async () => {
    queryClient.clear();
    await queryClient.fetchQuery(authSessionOptions());
    // An address of ours, checked as the page read it (`signInSearch`). The way back does not lead to a form that has
    // done its work.
    router.history.replace(to ?? '/');
  };
}
