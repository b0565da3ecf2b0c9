import { queryClient } from '../api/query-client';
import { authSessionOptions } from '../client/@tanstack/react-query.gen';
import { router } from './router';

/** Leads to signing in, and from there back to where the session has ended. */
export function redirectToSignIn(): void {
  const { queryKey } = authSessionOptions();
  // Once: a person who stays on the page to save its content is not asked again by each polling query.
  if (queryClient.getQueryData(queryKey) === null) return;
  queryClient.setQueryData(queryKey, null);
  const { href, pathname } = router.state.location;
  if (pathname !== '/sign-in' && pathname !== '/sign-up')
    void router.navigate({ to: '/sign-in', search: { to: href } });
}
