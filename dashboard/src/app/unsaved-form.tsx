import { getRouteApi, useBlocker, useRouterState } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef } from 'react';
import { SessionExpiredDialog } from '../shared/session-expired-dialog';

const banner = getRouteApi('/signed-in/projects/$projectId/banner');

/** Detects input in the page's forms, and asks before an expired session discards it. */
export function useUnsavedForm() {
  const changed = useRef(false);
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  useEffect(() => {
    changed.current = false;
  }, [pathname]);
  const blocker = useBlocker({
    // An expired session leads to sign-in and back here; a sign-out does not. The banner editor has
    // its own dialog.
    shouldBlockFn: ({ current, next }) =>
      changed.current && current.routeId !== banner.id && next.pathname === '/sign-in' && 'to' in next.search,
    enableBeforeUnload: false,
    withResolver: true,
  });
  return {
    onInput: ({ target }: FormEvent): void => {
      changed.current ||= target instanceof Element && target.closest('form') !== null;
    },
    dialog: blocker.status === 'blocked' && (
      <SessionExpiredDialog onStay={blocker.reset} onLeave={blocker.proceed} />
    ),
  };
}
