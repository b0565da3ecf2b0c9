import { Button, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { queryClient } from '../../api/query-client';
import { ifMatch, etagFor } from '../../api/etags';
import { privacyReadOptions } from '../../client/@tanstack/react-query.gen';
import { privacySave } from '../../client/sdk.gen';
import type { PrivacyStateDto } from '../../client/types.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { StatusLabel } from '../../shared/status-label';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';

/** Which additional field of the records names a visitor, and whether its value is kept. */
export function IdentifierForm({ projectId, privacy }: { projectId: string; privacy: PrivacyStateDto }) {
  const [field, setField] = useState(privacy.visitorReferenceField ?? '');
  const [hashed, setHashed] = useState(privacy.visitorReferenceHashed);
  const [basedOn, setBasedOn] = useState(() => etagFor(`${projectId}/privacy`));
  const path = { projectId };
  const mutation = useApiMutation({
    request: async () =>
      (
        await privacySave({
          path,
          headers: ifMatch(basedOn),
          body: { visitorReferenceField: field.trim() || null, visitorReferenceHashed: hashed },
        })
      ).data,
    successMessage: t('shared.saved'),
    invalidates: ['consentList'],
    onSuccess: (saved) => {
      setBasedOn(etagFor(`${projectId}/privacy`));
      queryClient.setQueryData(privacyReadOptions({ path }).queryKey, saved);
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutation.mutate(undefined);
      }}
    >
      <Stack gap="sm" maw={520}>
        <TextInput
          label={t('privacy.field')}
          description={t('privacy.fieldHint')}
          placeholder="customerId"
          autoComplete="off"
          value={field}
          onChange={(event) => setField(event.currentTarget.value)}
          error={mutation.fieldErrors['visitorReferenceField']}
        />
        <Switch
          label={t('privacy.hashed')}
          description={t('privacy.hashedHint')}
          checked={hashed}
          onChange={(event) => setHashed(event.currentTarget.checked)}
        />
        <Text component="div" role="status">
          {privacy.indexing && <StatusLabel status="waiting">{t('privacy.indexing')}</StatusLabel>}
        </Text>
        <ProblemAlert error={mutation.error} />
        <div>
          <Button type="submit" loading={mutation.isPending}>
            {t('shared.save')}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
