import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiProblem } from '../../api/problem';
import { draftPreview } from '../../client/sdk.gen';
import type { PreviewResponse } from '../../client/types.gen';
import type { Configuration } from './configuration';

/** Shorter than a pause between words, and long enough that a quick typist does not ask for each letter. */
const PAUSE_MS = 120;

/**
 * The document that the configuration would publish, requested at pauses in typing. While it is
 * invalid, the last valid one stays visible, beside the errors.
 */
export function usePreview(projectId: string, form: Configuration) {
  const [asked] = useDebouncedValue(form, PAUSE_MS);
  const query = useQuery<PreviewResponse>({
    queryKey: ['preview', projectId, asked],
    queryFn: async ({ signal }) => (await draftPreview({ path: { projectId }, body: asked, signal })).data,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
  });
  const [last, setLast] = useState<PreviewResponse>();
  if (query.isSuccess && !query.isPlaceholderData && query.data !== last) setLast(query.data);
  const fields: Readonly<Record<string, string>> =
    query.error instanceof ApiProblem ? query.error.fields : {};
  return {
    preview: query.data ?? last,
    /** Refused fields and why. */
    fields,
    /** Errors that belong to no field. */
    error: Object.keys(fields).length > 0 ? null : query.error,
    retry: () => void query.refetch(),
    /** Whether `preview` shows the form's current values. */
    isCurrent: asked === form && query.isSuccess && !query.isPlaceholderData,
  };
}
