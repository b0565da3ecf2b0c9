import { notifications } from '@mantine/notifications';
import { type MutateOptions, useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { ApiProblem } from '../api/problem';
import { invalidate, type Operation } from '../api/query-client';
import { errorMessage } from './error-message';

const DONE_MS = 3_000;

/** One act of the person: what it asks of the API, what it says when it is done, which answers it makes old. */
export function useAct<V, R>(act: {
  run: (input: V) => Promise<R>;
  /** Notification on success; none where the page shows the result. */
  done?: string | ((result: R) => string);
  /** Operations to refetch. */
  refreshes?: readonly Operation[];
  then?: (result: R, input: V) => void;
  /** Shows a failure as a notification, where the page has no other place for it. */
  tellsFailure?: boolean;
}) {
  /** What it was asked with and has not done yet: the second of two quick Enters comes ahead of the disabled button. */
  const underWay = useRef(new Set<V>());
  const mutation = useMutation<R, Error, V>({
    mutationFn: (input) => act.run(input).finally(() => underWay.current.delete(input)),
    onSuccess: async (result, input) => {
      const message = typeof act.done === 'function' ? act.done(result) : act.done;
      if (message) notifications.show({ message, autoClose: DONE_MS });
      if (act.refreshes) void invalidate(act.refreshes);
      act.then?.(result, input);
    },
    onError: (error) => {
      if (act.tellsFailure)
        notifications.show({ color: 'red', message: errorMessage(error), autoClose: 10_000 });
    },
  });
  const fields = mutation.error instanceof ApiProblem ? mutation.error.fields : {};
  return {
    run: (input: V, options?: MutateOptions<R, Error, V>): void => {
      if (underWay.current.has(input)) return;
      underWay.current.add(input);
      mutation.mutate(input, options);
    },
    pending: mutation.isPending,
    /** What it was asked with, as long as it is under way: for what shows the outcome ahead of the answer. */
    wanted: mutation.isPending ? mutation.variables : undefined,
    result: mutation.data,
    reset: mutation.reset,
    /** Refused fields and why. */
    fields,
    /** What no field stands for. */
    error: Object.keys(fields).length > 0 ? null : mutation.error,
  };
}
