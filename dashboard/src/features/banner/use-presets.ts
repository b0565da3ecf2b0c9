import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { queryClient } from '../../api/query-client';
import { configurationPresetsOptions } from '../../client/@tanstack/react-query.gen';
import type { PresetsResponse } from '../../client/types.gen';
import type { BannerText } from './configuration';

const presetsOptions = (projectId: string, languages: string[]) => ({
  ...configurationPresetsOptions({ path: { projectId }, query: { languages: languages.join() } }),
  staleTime: Infinity,
});

/** Our texts in the languages of a banner, and region rules by law; undefined until they have loaded. */
export function usePresets(
  projectId: string,
  texts: readonly { language: string }[],
): PresetsResponse | undefined {
  const languages = texts.map(({ language }) => language).toSorted();
  const { data } = useQuery({ ...presetsOptions(projectId, languages), placeholderData: keepPreviousData });
  return data;
}

/** Our text in one language; undefined: we have none. */
export async function loadText(projectId: string, language: string): Promise<BannerText | undefined> {
  const { texts } = await queryClient.fetchQuery(presetsOptions(projectId, [language]));
  return texts[0];
}
