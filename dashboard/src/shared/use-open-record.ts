import { useRouter } from '@tanstack/react-router';
import { useRef } from 'react';

/** Opens a record over its list, and closes it by going back, so that Back then leads to the page before the list. */
export function useOpenRecord(change: (changes: { open: string | undefined }) => void) {
  const { history } = useRouter();
  /** Whether the entry before this one is the list. */
  const isPushed = useRef(false);
  return {
    open: (id: string) => {
      isPushed.current = true;
      change({ open: id });
    },
    close: () => {
      if (isPushed.current) history.back();
      else change({ open: undefined });
      isPushed.current = false;
    },
  };
}
