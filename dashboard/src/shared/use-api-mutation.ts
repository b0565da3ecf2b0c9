import { type MutateOptions, useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { ApiProblem } from '../api/problem';
import { invalidate, type Operation } from '../api/query-client';
import { errorMessage } from './error-message';
import { showToast } from './toasts';

const SUCCESS_MS = 3_000;
const ERROR_MS = 10_000;

/** A mutation of the API with its success message, the queries it invalidates, and field errors apart from others. */
export function useApiMutation<V, R>(options: {
  request: (input: V) => Promise<R>;
  /** Notification on success; none where the page shows the result. */
  successMessage?: string | ((result: R) => string);
  /** Operations to refetch. */
  invalidates?: readonly Operation[];
  onSuccess?: (result: R, input: V) => void;
  /** Shows the API's field errors at the fields of the same names. */
  form?: { setErrors: (errors: Record<string, string>) => void };
  /** Shows a failure as a notification, where the page has no other place for it. */
  notifiesError?: boolean;
}) {
  /** Inputs in flight: the second of two quick Enters arrives before the button is disabled. */
  const inFlight = useRef(new Set<V>());
  const mutation = useMutation<R, Error, V>({
    mutationFn: (input) => options.request(input).finally(() => inFlight.current.delete(input)),
    onSuccess: async (result, input) => {
      const message =
        typeof options.successMessage === 'function'
          ? options.successMessage(result)
          : options.successMessage;
      if (message) showToast(message, { closeAfterMs: SUCCESS_MS });
      if (options.invalidates) void invalidate(options.invalidates);
      options.onSuccess?.(result, input);
    },
    onError: (error) => {
      if (error instanceof ApiProblem) options.form?.setErrors({ ...error.fields });
      if (options.notifiesError) showToast(errorMessage(error), { isError: true, closeAfterMs: ERROR_MS });
    },
  });
  const fieldErrors = mutation.error instanceof ApiProblem ? mutation.error.fields : {};
  return {
    mutate: (input: V, mutateOptions?: MutateOptions<R, Error, V>): void => {
      if (inFlight.current.has(input)) return;
      inFlight.current.add(input);
      mutation.mutate(input, mutateOptions);
    },
    isPending: mutation.isPending,
    /** The input while the request is pending, for optimistic updates. */
    variables: mutation.isPending ? mutation.variables : undefined,
    data: mutation.data,
    reset: mutation.reset,
    /** The message for each invalid field. */
    fieldErrors,
    /** An error that belongs to no field. */
    error: Object.keys(fieldErrors).length > 0 ? null : mutation.error,
  };
}
