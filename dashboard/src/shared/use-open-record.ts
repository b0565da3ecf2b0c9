import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** Opens a record over its list, and closes it by going back, so that Back then leads to the page before the list. */
export function useOpenRecord(change: (changes: { open: string | undefined }) => void) {
  const { history } = useRouter();
  /** Whether the entry before this one is the list: links push entries, too. */
  const isPushed = useRef(false);
  useEffect(
    () =>
      history.subscribe(({ action, location }) => {
        const isForward = action.type === 'PUSH' || action.type === 'FORWARD';
        isPushed.current = isForward && new URLSearchParams(location.search).has('open');
      }),
    [history],
  );
  return {
    open: (id: string) => change({ open: id }),
    close: () => {
      if (isPushed.current) history.back();
      else change({ open: undefined });
    },
  };
}
