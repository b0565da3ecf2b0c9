import { useBlocker, useRouterState } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef } from 'react';
import { SessionEnded } from '../shared/session-ended';
import { bannerRoute } from './router';

/** Notices what is typed into the forms of a page, and has it kept where the session ends before it is saved. */
export function useTyped() {
  const typed = useRef(false);
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  useEffect(() => {
    typed.current = false;
  }, [pathname]);
  const blocker = useBlocker({
    // An expired session leads to sign-in and back here; signing out is meant. The banner editor has its own question.
    shouldBlockFn: ({ current, next }) =>
      typed.current &&
      current.routeId !== bannerRoute.id &&
      next.pathname === '/sign-in' &&
      'to' in next.search,
    enableBeforeUnload: false,
    withResolver: true,
  });
  return {
    noticeTyped: ({ target }: FormEvent): void => {
      typed.current ||= target instanceof Element && target.closest('form') !== null;
    },
    question: blocker.status === 'blocked' && (
      <SessionEnded onStay={blocker.reset} onLeave={blocker.proceed} />
    ),
  };
}
