import { Button, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { queryClient } from '../../api/query-client';
import { ifMatch, etagFor } from '../../api/etags';
import { privacyReadOptions } from '../../client/@tanstack/react-query.gen';
import { privacySave } from '../../client/sdk.gen';
import type { PrivacyStateResponse } from '../../client/types.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { StatusLabel } from '../../shared/status-label';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';

/** Which additional field of the records names a visitor, and whether its value is kept. */
export function IdentifierForm({ projectId, privacy }: { projectId: string; privacy: PrivacyStateResponse }) {
  const form = useForm({
    initialValues: {
      visitorReferenceField: privacy.visitorReferenceField ?? '',
      visitorReferenceHashed: privacy.visitorReferenceHashed,
    },
  });
  const { visitorReferenceField: field, visitorReferenceHashed: hashed } = form.values;
  const [basedOn, setBasedOn] = useState(() => etagFor(`${projectId}/privacy`));
  const path = { projectId };
  const mutation = useApiMutation({
    form,
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
    <form onSubmit={form.onSubmit(() => mutation.mutate(undefined))}>
      <Stack gap="sm" maw={520}>
        <TextInput
          label={t('privacy.field')}
          description={t('privacy.fieldHint')}
          placeholder="customerId"
          autoComplete="off"
          {...form.getInputProps('visitorReferenceField')}
        />
        <Switch
          label={t('privacy.hashed')}
          description={t('privacy.hashedHint')}
          {...form.getInputProps('visitorReferenceHashed', { type: 'checkbox' })}
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
