import { useNavigate } from '@tanstack/react-router';
import { queryClient } from '../api/query-client';

/** Clears the query cache and opens the sign-in page, after a deliberate sign-out. */
export function useSignedOut(): () => void {
  const navigate = useNavigate();
  return () => {
    queryClient.clear();
    void navigate({ to: '/sign-in' });
  };
}
