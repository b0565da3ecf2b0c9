import { useState } from 'react';
import { ApiProblem } from '../../api/problem';
import { queryClient } from '../../api/query-client';
import { configurationReadOptions, draftReadOptions } from '../../client/@tanstack/react-query.gen';
import { configurationSave, draftDiscard, draftSave } from '../../client/sdk.gen';
import type { ConfigurationResponse, DraftResponse } from '../../client/types.gen';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { type Configuration, initialContent } from './configuration';

const tag = (version: number): string => `"${version}"`;

/** The form's values, and the actions that save or publish them, each based on a version. */
export function useEditor(projectId: string, configuration: ConfigurationResponse, draft: DraftResponse) {
  const path = { projectId };
  const [form, setForm] = useState(() => initialContent(configuration, draft));
  const [kept, setKept] = useState(form);
  const [hasDraft, setHasDraft] = useState(draft.configuration !== null);
  const [draftVersion, setDraftVersion] = useState(draft.version);
  const [savedAt, setSavedAt] = useState(draft.updatedAt);
  const [basedOn, setBasedOn] = useState(draft.basedOn ?? configuration.version);

  const take = (content: Configuration): void => {
    setForm(content);
    setKept(content);
  };
  /** The current state on the server, bypassing the cache. */
  const current = async (): Promise<[ConfigurationResponse, DraftResponse]> => {
    const fresh = { staleTime: 0 };
    return Promise.all([
      queryClient.fetchQuery({ ...configurationReadOptions({ path }), ...fresh }),
      queryClient.fetchQuery({ ...draftReadOptions({ path }), ...fresh }),
    ]);
  };
  const save = useApiMutation({
    request: async () =>
      (
        await draftSave({
          path,
          body: { ...form, basedOn },
          headers: { 'If-Match': tag(draftVersion) },
        })
      ).data,
    successMessage: t('banner.draftSaved'),
    onSuccess: (saved) => {
      setKept(form);
      setHasDraft(true);
      setDraftVersion(saved.version);
      setSavedAt(saved.updatedAt);
      queryClient.setQueryData(draftReadOptions({ path }).queryKey, saved);
    },
  });
  const publish = useApiMutation({
    request: async ({ comment, confirmMissingTexts }: { comment: string; confirmMissingTexts: boolean }) =>
      (
        await configurationSave({
          path,
          body: { ...form, draftVersion, confirmMissingTexts, ...(comment !== '' && { comment }) },
          headers: { 'If-Match': tag(basedOn) },
        })
      ).data,
    invalidates: ['configurationContentSecurityPolicy'],
    onSuccess: async (saved) => {
      setKept(form);
      setHasDraft(false);
      setBasedOn(saved.version);
      queryClient.setQueryData(configurationReadOptions({ path }).queryKey, saved);
      const [, ended] = await current();
      setDraftVersion(ended.version);
    },
  });
  const discard = useApiMutation({
    request: async () => (await draftDiscard({ path, headers: { 'If-Match': tag(draftVersion) } })).data,
    successMessage: t('banner.draftDiscarded'),
    notifiesError: true,
    onSuccess: () => loadTheirs(),
  });
  /** Replaces the form's values with the stored version. */
  const loadTheirs = async (): Promise<void> => {
    const [newest, itsDraft] = await current();
    take(initialContent(newest, itsDraft));
    setHasDraft(itsDraft.configuration !== null);
    setDraftVersion(itsDraft.version);
    setSavedAt(itsDraft.updatedAt);
    setBasedOn(itsDraft.basedOn ?? newest.version);
    save.reset();
    publish.reset();
  };
  /** Keeps the fields, as a change of the current state on the server. */
  const keepMine = async (): Promise<void> => {
    const [newest, itsDraft] = await current();
    setDraftVersion(itsDraft.version);
    setBasedOn(newest.version);
    save.reset();
    publish.reset();
  };
  const refused = [save.error, publish.error].find(
    (error) => error instanceof ApiProblem && error.code === 'version_conflict',
  );
  return {
    form,
    change: (changes: Partial<Configuration>) => setForm((before) => ({ ...before, ...changes })),
    dirty: JSON.stringify(form) !== JSON.stringify(kept),
    hasDraft,
    /** When the draft was saved; null where it never was. */
    savedAt,
    save,
    publish,
    discard,
    loadTheirs,
    keepMine,
    /** Another person has saved or published since. */
    conflict: refused !== undefined || configuration.version > basedOn,
  };
}

export type Editor = ReturnType<typeof useEditor>;
