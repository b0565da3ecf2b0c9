import { useNavigate } from '@tanstack/react-router';
import { queryClient } from '../api/query-client';

/** Forgets what the API has told, and leads to signing in: for whoever meant to go. */
export function useSignedOut(): () => void {
  const navigate = useNavigate();
  return () => {
    queryClient.clear();
    void navigate({ to: '/sign-in' });
  };
}
