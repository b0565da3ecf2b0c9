import { useQuery } from '@tanstack/react-query';
import { configurationPresetsOptions } from '../../client/@tanstack/react-query.gen';
import type { PresetsResponse } from '../../client/types.gen';

/** Our texts by language, and region rules by law; undefined until they have loaded. */
export function usePresets(projectId: string): PresetsResponse | undefined {
  const { data } = useQuery({
    ...configurationPresetsOptions({ path: { projectId } }),
    staleTime: Infinity,
  });
  return data;
}
